import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Cast, cast, stage, turn } from "../fixture.ts";
import { same } from "../same.ts";
import type { Target } from "../target.ts";
import { are, enter, failure } from "./frame.ts";
import { line } from "./line.ts";
import { freshChannel, room } from "./room.ts";
import type { Socket } from "./socket.ts";

const OFF = [
  [{ realtime: false }, "feature_off"],
  [{ backendEnabled: false }, "backend_off"],
] as const;

/**
 * Tests connections to a canvas whose realtime is off. They get an error frame with the reason and are closed with code 4403. This applies
 * when a connection opens, and when realtime is switched off later.
 */
export function switches(target: Target): void {
  describe("4403: realtime off", () => {
    const dial = line(target);
    let people: Cast;
    before(async () => {
      people = await cast(target);
    });

    for (const [off, reason] of OFF) {
      it(`${reason} at the handshake: 101, the error, 4403, for everyone alike`, async () => {
        const canvas = await stage(target, { people, switches: off });
        for (const role of ["owner", "editor", "viewer"] as const)
          await toldOff(await dial(canvas, people[role]), reason);
      });

      it(`${reason} later on: the same to every connection, and no trace when it is on again`, async () => {
        const channel = freshChannel();
        const canvas = await room(target, { people });
        const roles = ["owner", "editor", "viewer", "viewer"] as const;
        const sockets = await Promise.all(roles.map((role) => dial(canvas, people[role])));
        for (const socket of sockets) await enter(socket, channel);
        for (const socket of sockets) await socket.settled();
        await turn(target, canvas, off);
        for (const socket of sockets) await toldOff(socket, reason);
        await toldOff(await dial(canvas, people.owner), reason);
        await turn(target, canvas, { backendEnabled: true, realtime: true });
        const again = await dial(canvas, people.viewer);
        same(await enter(again, channel), [canvas.users.viewer]);
        are(await again.settled(), []);
      });
    }

    it("what is sent while it goes off is not answered any more", async () => {
      const canvas = await stage(target, { people });
      const socket = await dial(canvas, people.owner);
      await turn(target, canvas, { realtime: false });
      socket.send({ type: "subscribe", channel: "c" });
      await toldOff(socket, "feature_off");
    });

    it("the other switches do not affect realtime, at the handshake and later on", async () => {
      const others = { kv: false, files: false, ai: false, authoring: false };
      const canvas = await stage(target, { people });
      const socket = await dial(canvas, people.viewer);
      await turn(target, canvas, others);
      are(await socket.settled(), []);
      are(await (await dial(canvas, people.viewer)).settled(), []);
    });

    it("switching off one canvas does not affect another", async () => {
      const [off, on] = [await stage(target, { people }), await stage(target, { people })];
      const [out, stays] = [await dial(off, people.viewer), await dial(on, people.viewer)];
      await turn(target, off, { realtime: false });
      await toldOff(out, "feature_off");
      are(await stays.settled(), []);
    });
  });
}

/** Asserts that a connection receives one error frame with the reason why realtime is off, and is then closed with 4403. */
async function toldOff(socket: Socket, reason: "backend_off" | "feature_off"): Promise<void> {
  const { code, frames } = await socket.end();
  const hint = frames[0]?.hint ?? "";
  assert.ok(typeof hint === "string" && hint !== "", JSON.stringify(frames));
  const backendEnabled = reason === "feature_off";
  are(frames, [failure("CAPABILITY_DISABLED", { capability: "realtime", backendEnabled, reason, hint })]);
  assert.equal(code, 4403);
}
