import type { Answer } from "../http.ts";
import type { Page } from "../page.ts";

/** A file in a multipart form. Without `type` its part has no `Content-Type`; without `name` it has no file name. */
export interface File {
  name?: string | undefined;
  type?: string | undefined;
  bytes?: string | Buffer;
}

const BOUNDARY = "easel-conformance-boundary";

/** The `Content-Type` of the bodies that `formOf` returns. */
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** Where the file is among the parts of a form: behind its fields, before them, or between them. */
export const PLACES = ["last", "first", "middle"] as const;
export type Place = (typeof PLACES)[number];

/** Encodes a multipart form as browsers do: its fields, and the file as part `file`. If `file` is null, this part is left out. */
export function formOf(
  fields: Record<string, string> | [name: string, value: string][],
  file: File | null = {},
  place: Place = "last",
): Buffer {
  const pairs = Array.isArray(fields) ? fields : Object.entries(fields);
  const parts = pairs.map(([name, value]) => part(`form-data; name="${name}"`, undefined, value));
  const at = { last: parts.length, first: 0, middle: Math.floor(parts.length / 2) }[place];
  if (file !== null) parts.splice(at, 0, filePart(file));
  return Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

function filePart({ name, type, bytes = "content" }: File): Buffer {
  const filename = name === undefined ? "" : `; filename="${name.replaceAll('"', "%22")}"`;
  return part(`form-data; name="file"${filename}`, type, bytes);
}

function part(disposition: string, type: string | undefined, bytes: string | Buffer): Buffer {
  const header = `--${BOUNDARY}\r\nContent-Disposition: ${disposition}\r\n`;
  const typed = type === undefined ? header : `${header}Content-Type: ${type}\r\n`;
  return Buffer.concat([`${typed}\r\n`, bytes, "\r\n"].map((each) => Buffer.from(each)));
}

/** Uploads a file to the canvas of a page. */
export const upload = (
  page: Page,
  fields: Record<string, string> = {},
  file: File | null = {},
  place: Place = "last",
): Promise<Answer> => page.send("POST", "/files", [["Content-Type", FORM_TYPE]], formOf(fields, file, place));
