/** A file that somebody has dropped, chosen or pasted, with its path: NFC, with slashes, without the folder that was chosen. */
export interface OfferedFile {
  path: string;
  size: number;
  file: Blob;
}

/** Files and folders that are not read any further, with the number of files in a folder if it is known. */
export interface LeftOutPath {
  path: string;
  files: number | null;
  reason: string;
}

/** What somebody offers to publish. `name` is that of the folder or file; empty for several, and for what was pasted. */
export type Offer =
  | { kind: "files"; name: string; files: OfferedFile[]; leftOut: LeftOutPath[] }
  | { kind: "zip"; name: string; file: Blob };

/** An offer that cannot be published, told before anything is sent. */
export class BadOffer extends Error {
  /** What the person can do. */
  readonly hint: string | null;

  constructor(message: string, hint: string | null = null) {
    super(message);
    this.hint = hint;
  }
}
