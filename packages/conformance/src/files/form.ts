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

/** Encodes a multipart form as browsers do: its fields, then the file as part `file`. If `file` is null, this part is left out. */
export function formOf(fields: Record<string, string>, file: File | null = {}): Buffer {
  const parts: (string | Buffer)[] = Object.entries(fields).map(([name, value]) =>
    part(`form-data; name="${name}"`, undefined, value),
  );
  if (file !== null) {
    const { name, type, bytes = "content" } = file;
    const filename = name === undefined ? "" : `; filename="${name.replaceAll('"', "%22")}"`;
    parts.push(part(`form-data; name="file"${filename}`, type, bytes));
  }
  return Buffer.concat([...parts, `--${BOUNDARY}--\r\n`].map((each) => Buffer.from(each)));
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
): Promise<Answer> => page.send("POST", "/files", [["Content-Type", FORM_TYPE]], formOf(fields, file));
