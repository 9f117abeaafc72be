import type { Manifest } from "./manifest.ts";

/** Prints a line for the operator. */
export type Print = (line: string) => void;

/** Returns a number of bytes in MB. */
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;

/** Describes the size of a backup, such as `database 3.1 MB, 42 blobs of 17 MB`. */
export const describeBackup = ({ database, blobs }: Manifest): string =>
  `database ${megabytes(database.bytes)}, ${blobs.count} ${blobs.count === 1 ? "blob" : "blobs"} of ${megabytes(blobs.bytes)}`;
