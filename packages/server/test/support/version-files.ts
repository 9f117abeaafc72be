import assert from "node:assert/strict";
import { manage } from "@easel/conformance/fixture";
import type { Person, Target } from "@easel/conformance/target";
import { stager } from "./staged.ts";
import type { Files } from "./zip.ts";

/** Stores a version of a canvas, and publishes it unless told otherwise. Returns the id of the version. */
export async function store(
  target: Target,
  person: Person,
  id: string,
  files: Files,
  { publish = true, message }: { publish?: boolean; message?: string } = {},
): Promise<string> {
  const deploys = stager(target, person, id);
  const { json: begun, text } = await deploys.begin(files, message === undefined ? {} : { message });
  assert.ok(Array.isArray(begun.missing), text);
  for (const content of Object.values(files)) {
    const answer = await deploys.upload(begun.id, content);
    assert.ok(answer.status === 204 || answer.status === 409, answer.text);
  }
  const finish = `/api/canvases/${id}/deploys/${begun.id}/finish`;
  const { status, json, text: said } = await manage(target, person, "POST", finish, { publish });
  assert.equal(status, 200, said);
  return String(json.storedVersion);
}
