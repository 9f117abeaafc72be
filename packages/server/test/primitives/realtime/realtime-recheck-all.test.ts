import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { cast } from "@easel/conformance/fixture";
import { parallel } from "@easel/conformance/parallel";
import { are, enter } from "@easel/conformance/realtime/frame";
import { line } from "@easel/conformance/realtime/line";
import { room } from "@easel/conformance/realtime/room";
import { same } from "@easel/conformance/same";
import { announceAccess } from "../../../src/canvases/open-connections.ts";
import { tokenHash } from "../../../src/crypto/ids.ts";
import { encodeMessage } from "../../../src/primitives/realtime/subscription.ts";
import { tokenOf } from "../../support/client.ts";
import { startDev } from "../../support/engines.ts";
import { later, SECOND, still } from "../../support/time.ts";

/** The number of canvases. With `EACH` connections on each of them, a recheck of all connections takes several batches. */
const CANVASES = 12;
const EACH = 28;

describe("a change of access that concerns all of many connections", async () => {
  const { target, env } = await startDev({ after });
  const dial = line(target, after);
  const people = await cast(target);
  const rooms = await parallel(Array.from({ length: CANVASES }), () => room(target, { people }));
  const [first, last] = [rooms[0] ?? assert.fail(), rooms.at(-1) ?? assert.fail()];
  const earliest = await dial(first, people.viewer);
  const crowd = await Promise.all(
    rooms.flatMap((each) => Array.from({ length: EACH }, () => dial(each, people.owner))),
  );
  const latest = await dial(last, people.stranger);
  for (const socket of [earliest, ...crowd, latest]) await socket.settled();
  const everyone = { people: [] };

  it("a change during the recheck causes another recheck", async () => {
    const hash = tokenHash(tokenOf(people.viewer));
    const looking = announceAccess(everyone, env);
    assert.equal(await env.db.run`delete from sessions where token_hash = ${hash}`, 1);
    await announceAccess(everyone, env);
    same(await earliest.end(), { code: 4401, frames: [] });
    await looking;
    for (const socket of crowd) are(await socket.settled(), []);
  });

  it("a named user is rechecked first, and receives no frame before", async () => {
    await enter(latest, "c");
    const { id } = last.users.stranger;
    await env.db.run`update users set deactivated_at = ${env.clock()} where id = ${id}`;
    const told = [
      announceAccess(everyone, env),
      announceAccess({ people: [id] }, env),
      env.bus.publish(`channel ${last.id} c`, encodeMessage('{"type":"message"}')),
    ];
    same(await latest.end(), { code: 4401, frames: [] });
    await Promise.all(told);
    for (const socket of crowd) are(await socket.settled(), []);
  });

  it("a user who is not named receives no frame before the recheck either", async () => {
    const guest = await dial(last, people.editor);
    await enter(guest, "c");
    const hash = tokenHash(tokenOf(people.editor));
    assert.equal(await env.db.run`delete from sessions where token_hash = ${hash}`, 1);
    const told = [
      announceAccess(everyone, env),
      env.bus.publish(`channel ${last.id} c`, encodeMessage('{"type":"message"}')),
    ];
    same(await guest.end(), { code: 4401, frames: [] });
    await Promise.all(told);
    for (const socket of crowd) are(await socket.settled(), []);
  });

  it("an expired share: only those who manage the canvas receive frames", async () => {
    await still(env, async () => {
      const short = await room(target, { terms: { expiresAt: env.clock() + 5 * SECOND } });
      const sockets = await Promise.all(
        [short.people.owner, short.people.viewer].map((person) => dial(short, person)),
      );
      for (const socket of sockets) await enter(socket, "c");
      const [owner = assert.fail(), viewer = assert.fail()] = sockets;
      await owner.settled();
      await later(env, 10 * SECOND, async () => {
        await env.bus.publish(`channel ${short.id} c`, encodeMessage('{"type":"message"}'));
        same(await viewer.end(), { code: 4401, frames: [] });
      });
      are(await owner.take(2), [
        { type: "message" },
        { type: "leave", channel: "c", user: short.users.viewer },
      ]);
    });
  });
});
