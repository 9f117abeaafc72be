import type { Answer } from "../http.ts";
import type { Page } from "../page.ts";
import { type Files, zipOf } from "../zip.ts";

/** A part of a multipart form. `file` is the file name of a part that is a file. */
export interface Part {
  name: string;
  value: string | Buffer;
  file?: string;
  type?: string;
}

/** The metadata of a canvas that a page publishes. An object is sent as JSON. A string is sent unchanged, so it may be invalid. */
export type Metadata = object | string;

const BOUNDARY = "easel-conformance-boundary";

/** The `Content-Type` of the bodies that `formOf` returns. */
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** Returns the form part `metadata`, which has the title and the settings of the canvas to publish. */
export const metadataPart = (metadata: Metadata): Part => ({
  name: "metadata",
  value: typeof metadata === "string" ? metadata : JSON.stringify(metadata),
});

/**
 * Returns the form part `bundle`, which has the files of the canvas to publish. A valid `value` is a zip. Tests of refusals pass other
 * values.
 */
export const bundlePart = (value: string | Buffer): Part => ({
  name: "bundle",
  value,
  file: "bundle.zip",
  type: "application/zip",
});

/** Encodes a multipart form as browsers do. */
export function formOf(parts: Part[]): Buffer {
  const chunks = parts.flatMap(({ name, value, file, type }) => {
    const filename = file === undefined ? "" : `; filename="${file}"`;
    const typed = type === undefined ? "" : `Content-Type: ${type}\r\n`;
    return [
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${filename}\r\n${typed}\r\n`,
      value,
      "\r\n",
    ];
  });
  return Buffer.concat([...chunks, `--${BOUNDARY}--\r\n`].map((each) => Buffer.from(each)));
}

/** Sends a form from the page of a canvas. */
export const sendForm = (page: Page, method: string, path: string, parts: Part[]): Promise<Answer> =>
  page.send(method, path, [["Content-Type", FORM_TYPE]], formOf(parts));

/** Returns the zip of a canvas. `site` has the files by path, or is a text that becomes the only file `index.html`. */
export const bundleOf = (site: string | Files): Buffer =>
  zipOf(typeof site === "string" ? { "index.html": site } : site);

/** An invalid zip, which lacks its last 10 bytes. */
export const BROKEN = bundleOf("broken").subarray(0, -10);

/** Sends `POST /authoring` from a page, which publishes a new canvas. */
export const author = (
  page: Page,
  metadata: Metadata,
  bundle: string | Buffer = bundleOf("A page"),
): Promise<Answer> => sendForm(page, "POST", "/authoring", [metadataPart(metadata), bundlePart(bundle)]);

/**
 * Sends `PUT /authoring/{id}` from a page, which updates a canvas that a page has published. Without `bundle`, the form has no part
 * `bundle`.
 */
export const revise = (
  page: Page,
  id: string,
  metadata: Metadata,
  bundle?: string | Buffer,
): Promise<Answer> =>
  sendForm(page, "PUT", `/authoring/${id}`, [
    metadataPart(metadata),
    ...(bundle === undefined ? [] : [bundlePart(bundle)]),
  ]);
