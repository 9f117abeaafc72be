import assert from "node:assert/strict";
import { manage, type Stage } from "./fixture.ts";
import { send } from "./http.ts";
import { until } from "./patience.ts";
import type { Target } from "./target.ts";
import { type Files, zipOf } from "./zip.ts";

const SHORT_MS = 500;

/** Publishes a bundle to a canvas, as its owner: files by path, or a text, which becomes the only file `index.html`. */
export async function publish(target: Target, { id, people }: Stage, bundle: string | Files): Promise<void> {
  const answer = await send(target.base, {
    method: "PUT",
    path: `/api/canvases/${id}/bundle`,
    headers: [...people.owner.headers, ["Content-Type", "application/zip"]],
    body: zipOf(typeof bundle === "string" ? { "index.html": bundle } : bundle),
  });
  assert.equal(answer.status, 200, `PUT bundle: ${answer.text}`);
}

/** Archives a canvas. */
export const archive = (target: Target, canvas: Stage): Promise<void> => setArchived(target, canvas, true);

/** Takes a canvas out of the archive. */
export const unarchive = (target: Target, canvas: Stage): Promise<void> => setArchived(target, canvas, false);

async function setArchived(target: Target, { id, people }: Stage, archived: boolean): Promise<void> {
  const answer = await manage(target, people.owner, "PATCH", `/api/canvases/${id}`, { archived });
  assert.equal(answer.status, 200, `PATCH archived: ${answer.text}`);
}

/** Deletes a canvas. */
export async function remove(target: Target, { id, people }: Stage): Promise<void> {
  const answer = await manage(target, people.owner, "DELETE", `/api/canvases/${id}`);
  assert.equal(answer.status, 204, `DELETE canvas: ${answer.text}`);
}

/** Unpublishes a canvas. */
export async function unpublish(target: Target, { id, people }: Stage): Promise<void> {
  const answer = await manage(target, people.owner, "POST", `/api/canvases/${id}/unpublish`);
  assert.equal(answer.status, 200, `POST unpublish: ${answer.text}`);
}

/**
 * Lets the access to a canvas expire. Sets `expiresAt` to a time in the near future, because the API accepts no past time, and waits until
 * the canvas is expired.
 */
export async function expire(target: Target, canvas: Stage): Promise<void> {
  const path = `/api/canvases/${canvas.id}`;
  await soon(async (expiresAt) => {
    const answer = await manage(target, canvas.people.owner, "PUT", `${path}/sharing`, { expiresAt });
    if (answer.status === 400 && Date.now() >= expiresAt) return false;
    assert.equal(answer.status, 200, `PUT sharing: ${answer.text}`);
    return true;
  });
  await until("the share expires", async () => {
    const { json } = await manage(target, canvas.people.owner, "GET", path);
    return json.status === "expired";
  });
}

/**
 * Calls `act` with a time in the near future, in epoch milliseconds. `act` resolves with false if that time had passed before it was done.
 * It is then called again with a later time.
 */
export async function soon(act: (moment: number) => Promise<boolean>): Promise<void> {
  for (let ahead = SHORT_MS; !(await act(Date.now() + ahead)); ahead *= 2);
}
