import assert from "node:assert/strict";
import type { Stage } from "@easel/conformance/fixture";
import { type Answer, type Header, send } from "@easel/conformance/http";
import type { Person, Target } from "@easel/conformance/target";
import { type Files, zip } from "./zip.ts";

/** Deploys a bundle, by default a zip, to a canvas as `person`. */
export function upload(
  { base }: Target,
  { headers }: Person,
  id: string,
  body: Buffer,
  type = "application/zip",
): Promise<Answer> {
  const path = `/api/canvases/${id}/bundle`;
  return send(base, { method: "PUT", path, headers: [...headers, ["Content-Type", type]], body });
}

/** Deploys files to a canvas as its owner. Returns the id of the version. */
export async function publish(target: Target, { id, people }: Stage, files: Files): Promise<string> {
  const answer = await upload(target, people.owner, id, await zip(files));
  assert.equal(answer.status, 200, answer.text);
  return String(answer.json.version);
}

/** Requests a file of a canvas; `path` is relative to `/c/{slug}/` and sent unchanged. */
export function visit(
  { base }: Target,
  slug: string,
  person: Person | null,
  path = "",
  headers: Header[] = [],
  method = "GET",
): Promise<Answer> {
  return send(base, {
    method,
    path: `/c/${slug}/${path}`,
    headers: [...(person?.headers ?? []), ...headers],
  });
}
