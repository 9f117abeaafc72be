import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/** A message to this thread. The thread replies to `checkpoint` with a boolean: whether it copied the whole write-ahead log. */
export type Message = "checkpoint" | "close";

/** Copies the write-ahead log into the database file. Returns false if a part of the log was not copied; a later checkpoint copies it. */
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
