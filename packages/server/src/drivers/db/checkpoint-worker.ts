import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/** A message to this thread. The thread replies to `checkpoint` when it has copied what it can of the write-ahead log. */
export type Message = "checkpoint" | "close";

/** Copies the write-ahead log into the database file, except for what other connections still read or write. */
function checkpoint(connection: DatabaseSync): void {
  try {
    connection.exec("pragma wal_checkpoint(passive)");
  } catch {
    // A later checkpoint copies what is left.
  }
}

const connection = new DatabaseSync(workerData as string);

parentPort?.on("message", (message: Message) => {
  if (message === "checkpoint") {
    checkpoint(connection);
    parentPort?.postMessage("done");
    return;
  }
  connection.close();
  parentPort?.close();
});
