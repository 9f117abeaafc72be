import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/** The messages to this thread. It replies to `checkpoint` with whether the whole log was copied. */
export type Message = "checkpoint" | "close";

/** Copies the write-ahead log into the database file. Returns false if a part is left, which a later checkpoint copies. */
function checkpoint(connection: DatabaseSync): boolean {
  try {
    const result = connection.prepare("pragma wal_checkpoint(passive)").get();
    return result?.busy === 0 && result.log === result.checkpointed;
  } catch {
    return false;
  }
}

const connection = new DatabaseSync(workerData as string);

parentPort?.on("message", (message: Message) => {
  if (message === "checkpoint") {
    parentPort?.postMessage(checkpoint(connection));
    return;
  }
  connection.close();
  parentPort?.close();
});
