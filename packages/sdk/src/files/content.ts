import { invalid } from "../errors.ts";

/** The content of a file: a `File` or `Blob`, bytes, or text. */
export type FileContent = Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer> | string;

/** Whether a value is a `Blob` or bytes. */
export const isBinary = (value: unknown): value is Exclude<FileContent, string> =>
  value instanceof Blob || value instanceof ArrayBuffer || ArrayBuffer.isView(value);

/** Returns content as a blob: text as `text/plain`, bytes without a type. Throws for anything else. */
export function blobOf(content: FileContent): Blob {
  if (typeof content === "string") return new Blob([content], { type: "text/plain" });
  if (content instanceof Blob) return content;
  if (isBinary(content)) return new Blob([content as ArrayBuffer]);
  throw invalid("A file must be a File, a Blob, an ArrayBuffer, a typed array or a string.");
}
