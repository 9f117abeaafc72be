import assert from "node:assert/strict";
import type { Answer } from "../http.ts";
import type { Page } from "../page.ts";
import { answered } from "../refusal.ts";
import { type File, upload } from "./form.ts";

/** A file as the API shows it (specification 2). */
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

/** Asserts that a response is one to an upload, with exactly its four fields, and returns it. */
export function uploadedOf({ status, headers, text, json }: Answer): Uploaded {
  assert.equal(status, 201, text.slice(0, 300));
  assert.match(headers["content-type"] ?? "", /^application\/json\b/);
  assert.deepEqual(Object.keys(json).sort(), ["id", "name", "size", "url"]);
  return json as unknown as Uploaded;
}

/** Uploads a file and returns the response. */
export const add = async (
  page: Page,
  fields: Record<string, string> = {},
  file: File = {},
): Promise<Uploaded> => uploadedOf(await upload(page, fields, file));

/** Returns the files that a caller can list. */
export async function filesIn(page: Page, query = ""): Promise<FileRecord[]> {
  const answer = await page.get(`/files${query}`);
  const files = answer.json.files as FileRecord[];
  answered(answer, { files, nextCursor: null });
  return files;
}

/** Returns the ids of files, to compare lists in any order. */
export const idsOf = (files: { id: string }[]): Set<string> => new Set(files.map(({ id }) => id));

/** Returns one file of a caller's list. */
export async function recordOf(page: Page, id: string): Promise<FileRecord> {
  const found = (await filesIn(page)).find((each) => each.id === id);
  return found ?? assert.fail(`${id} is not listed`);
}

/** Returns the path of a file. */
export const pathOf = ({ id }: { id: string }): string => `/files/${id}`;

/** Returns the path of the bytes of a file. */
export const contentOf = ({ id }: { id: string }): string => `/files/${id}/content`;
