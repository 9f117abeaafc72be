import type { Readable } from "node:stream";

/** A file of a version in one encoding. */
export interface ServedFile {
  path: string;
  encoding: "identity" | "br" | "gzip";
  mime: string;
  /** The SHA-256 of the bytes in hexadecimal. */
  key: string;
  size: number;
}

/** The part of the context by which `easel dev` differs from a deployment. */
export interface Development {
  /**
   * The contents of canvases that are not served from their published version, by the id of the canvas. Only `easel dev` adds one: a folder
   * on the disk.
   */
  localContent: Map<string, CanvasContent>;
  /** Whether the service runs in `easel dev`, where the reader of an error can change `easel.json`. */
  isDev: boolean;
}

/** The source of the files of a canvas. */
export interface CanvasContent {
  /** Returns the file at a path of a version in all its encodings if it is cached, otherwise undefined. */
  cached(version: string, path: string): ServedFile[] | undefined;
  /** Looks up three paths of a version. Returns a map from each path that exists to its file in all encodings. */
  find(version: string, paths: [string, string, string]): Promise<Map<string, ServedFile[]>>;
  /** Returns the bytes of a file, or of a range of it. `end` is the last byte of the range. */
  open(file: ServedFile, range?: { start: number; end: number }): Promise<Buffer | Readable>;
}
