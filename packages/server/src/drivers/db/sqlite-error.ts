import { SetupError } from "../../config/setup-error.ts";

const DAMAGED =
  "It is damaged or no SQLite database. Restore it from a backup; to begin anew, move it away, and the blobs with it.";

/** Maps error codes of SQLite to advice for operators about the database file. */
const ADVICE: Record<number, string> = {
  5: "Another process has locked it.",
  8: "The service may not write it.",
  10: "The disk cannot be read or written.",
  11: DAMAGED,
  13: "The disk is full.",
  14: "The service may not open it, or it is a directory.",
  26: DAMAGED,
};

/** Converts an error of SQLite to a `SetupError` with the name of the database file and advice. Returns any other error as it is. */
export function sqliteError(error: unknown, file: string): unknown {
  const { errcode = 0, message } = error as { errcode?: number; message: string };
  const advice = ADVICE[errcode % 256];
  return advice === undefined
    ? error
    : new SetupError(`The database ${file} cannot be used: ${message}. ${advice}`);
}
