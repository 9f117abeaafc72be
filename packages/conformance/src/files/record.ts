import assert from "node:assert/strict";
import type { Answer } from "../http.ts";
import type { Page } from "../page.ts";
import { answered } from "../refusal.ts";
import { type File, type Place, upload } from "./form.ts";

/** A file as the API returns it (specification 2). */
export interface FileRecord {
  id: string;
  name: string;
  size: number;
  mime: string;
  createdAt: number;
  scope: string;
  uploadedBy: string;
  recordId: string | null;
  collection?: string;
  group?: string;
}

/** The response to an upload. */
export interface Uploaded {
  id: string;
  name: string;
  size: number;
  url: string;
}

/** Asserts that a response is 201 with exactly the four fields of an upload, and returns these fields. */
export function uploadedOf({ status, headers, text, json }: Answer): Uploaded {
  assert.equal(status, 201, text.slice(0, 300));
  assert.match(headers["content-type"] ?? "", /^application\/json\b/);
  assert.deepEqual(Object.keys(json).sort(), ["id", "name", "size", "url"]);
  return json as unknown as Uploaded;
}

/** Uploads a file, asserts that it is stored, and returns the fields of the response. */
export const add = async (
  page: Page,
  fields: Record<string, string> = {},
  file: File = {},
  place: Place = "last",
): Promise<Uploaded> => uploadedOf(await upload(page, fields, file, place));

/** Requests `GET /files` as the user of `page`, and returns the listed files. `query` is a query string with its `?`. */
export async function filesIn(page: Page, query = ""): Promise<FileRecord[]> {
  const answer = await page.get(`/files${query}`);
  const files = answer.json.files as FileRecord[];
  answered(answer, { files, nextCursor: null });
  return files;
}

/** Returns the ids of files as a set, for comparisons in which the order does not matter. */
export const idsOf = (files: { id: string }[]): Set<string> => new Set(files.map(({ id }) => id));

/** Returns the file with this id from the list that `filesIn` returns. Fails if it is not in the list. */
export async function recordOf(page: Page, id: string): Promise<FileRecord> {
  const found = (await filesIn(page)).find((each) => each.id === id);
  return found ?? assert.fail(`${id} is not listed`);
}

/** Returns the path at which a file is renamed and deleted. */
export const pathOf = ({ id }: { id: string }): string => `/files/${id}`;

/** Returns the path at which the bytes of a file are downloaded. */
export const contentOf = ({ id }: { id: string }): string => `/files/${id}/content`;
