import assert from "node:assert/strict";
import { crc32 } from "node:zlib";
import { manage, type Stage } from "./fixture.ts";
import { send } from "./http.ts";
import { until } from "./patience.ts";
import type { Target } from "./target.ts";

const SHORT_MS = 500;

/** Publishes a bundle of one page to a canvas. */
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

/** Unpublishes a canvas. */
export async function unpublish(target: Target, { id, people }: Stage): Promise<void> {
  const answer = await manage(target, people.owner, "POST", `/api/canvases/${id}/unpublish`);
  assert.equal(answer.status, 200, `POST unpublish: ${answer.text}`);
}

/** Lets a share expire. The API takes only future times, so this sets one and waits. */
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

/** Calls `act` with a time shortly ahead, and again with later ones while it returns false, because the time had passed. */
export async function soon(act: (moment: number) => Promise<boolean>): Promise<void> {
  for (let ahead = SHORT_MS; !(await act(Date.now() + ahead)); ahead *= 2);
}

/** Returns a zip of one uncompressed file. */
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
