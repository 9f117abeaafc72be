import assert from "node:assert/strict";
import type { Answer, Header } from "@easel/conformance/http";
import type { Page } from "@easel/conformance/page";
import type { AuthoredCanvas, Json } from "@easel/protocol/types";
import { type Files, zip } from "../../support/zip.ts";

const BOUNDARY = "easel-test-boundary";

/** The `Content-Type` of forms. */
export const FORM_TYPE: Header = ["Content-Type", `multipart/form-data; boundary=${BOUNDARY}`];

/** A part of a form: its name and content. */
export type FormPart = [name: string, content: string | Buffer];

/** Encodes a form as browsers do. */
export const formOf = (parts: FormPart[]): Buffer =>
  Buffer.concat(
    [
      ...parts.flatMap(([name, content]) => [
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`,
        content,
        "\r\n",
      ]),
      `--${BOUNDARY}--\r\n`,
    ].map((each) => Buffer.from(each)),
  );

/** The files of a valid bundle. */
export const HOME: Files = { "index.html": "<h1>home</h1>" };

/** A damaged bundle. The service notices it only when it unpacks the bundle, not when it receives it. */
export const BROKEN = Buffer.from("not a zip at all");

/** Encodes metadata and a bundle as a form. Without `bundle` the form has no such part. */
export async function shareForm(metadata: Json, bundle?: Files | Buffer): Promise<Buffer> {
  const parts: FormPart[] = [["metadata", JSON.stringify(metadata)]];
  if (bundle !== undefined) parts.push(["bundle", Buffer.isBuffer(bundle) ? bundle : await zip(bundle)]);
  return formOf(parts);
}

/** Publishes a new canvas from the page of another canvas. */
export const publish = async (
  page: Page,
  metadata: { [name: string]: Json },
  bundle: Files | Buffer = HOME,
): Promise<Answer> =>
  page.send("POST", "/authoring", [FORM_TYPE], await shareForm({ title: "Tea", ...metadata }, bundle));

/** Updates a published canvas from the page of another canvas. */
export const update = async (
  page: Page,
  id: string,
  metadata: Json,
  bundle?: Files | Buffer,
): Promise<Answer> => page.send("PUT", `/authoring/${id}`, [FORM_TYPE], await shareForm(metadata, bundle));

/** Returns the canvas in a response, which must be a 200. */
export function share(answer: Answer): AuthoredCanvas {
  assert.equal(answer.status, 200, answer.text.slice(0, 500));
  return answer.json as unknown as AuthoredCanvas;
}

/** Lists the canvases that the caller of the page has published. */
export async function listed(page: Page, query = ""): Promise<AuthoredCanvas[]> {
  const answer = await page.get(`/authoring${query}`);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(Object.keys(answer.json), ["canvases"]);
  return answer.json.canvases as AuthoredCanvas[];
}
