import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { amend, manage, type Stage } from "./fixture.ts";
import { send } from "./http.ts";
import type { Target } from "./target.ts";

const SHORT_MS = 500;
const PATIENCE_MS = 10_000;

/** Publishes one page at a canvas. */
export async function publish(target: Target, { id, people }: Stage, page: string): Promise<void> {
  const answer = await send(target.base, {
    method: "PUT",
    path: `/api/canvases/${id}/bundle`,
    headers: [...people.owner.headers, ["Content-Type", "application/zip"]],
    body: zipped("index.html", page),
  });
  assert.equal(answer.status, 200, `PUT bundle: ${answer.text}`);
}

/** Archives a canvas. */
export async function archive(target: Target, { id, people }: Stage): Promise<void> {
  const answer = await manage(target, people.owner, "PATCH", `/api/canvases/${id}`, { archived: true });
  assert.equal(answer.status, 200, `PATCH archived: ${answer.text}`);
}

/** Deletes a canvas. */
export async function remove(target: Target, { id, people }: Stage): Promise<void> {
  const answer = await manage(target, people.owner, "DELETE", `/api/canvases/${id}`);
  assert.equal(answer.status, 204, `DELETE canvas: ${answer.text}`);
}

/** Takes a canvas's pages off its address. */
export async function unpublish(target: Target, { id, people }: Stage): Promise<void> {
  const answer = await manage(target, people.owner, "POST", `/api/canvases/${id}/unpublish`);
  assert.equal(answer.status, 200, `POST unpublish: ${answer.text}`);
}

/** Has the time of a share run out: only a time to come can be set, so this waits for it. */
export async function expire(target: Target, canvas: Stage): Promise<void> {
  await amend(target, canvas, { expiresAt: Date.now() + SHORT_MS });
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const { json } = await manage(target, canvas.people.owner, "GET", `/api/canvases/${canvas.id}`);
    if (json.status === "expired") return;
    assert.ok(Date.now() < deadline, `the share does not expire: ${json.status}`);
    await sleep(SHORT_MS / 5);
  }
}

/** A zip of one file, stored as it is. */
function zipped(name: string, text: string): Buffer {
  const [path, data] = [Buffer.from(name), Buffer.from(text)];
  const about = Buffer.alloc(26);
  about.writeUInt16LE(20, 0);
  about.writeUInt32LE(crc32(data), 10);
  about.writeUInt32LE(data.length, 14);
  about.writeUInt32LE(data.length, 18);
  about.writeUInt16LE(path.length, 22);
  const entry = Buffer.concat([Buffer.from("PK\x03\x04"), about, path, data]);
  const listed = Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), about, Buffer.alloc(14), path]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(entry.length, 12);
  return Buffer.concat([entry, listed, Buffer.from("PK\x05\x06"), end]);
}
