import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Cast, cast, type Stage, stage } from "../fixture.ts";
import { same } from "../same.ts";
import type { Target } from "../target.ts";
import { are } from "./frame.ts";
import { type Dial, line } from "./line.ts";
import type { Socket } from "./socket.ts";

const MOST = 30;
const TRIES = 200;

/** Tests close code 4429: a canvas has at most 30 connections. */
export function places(target: Target): void {
  describe("4429: no place left", () => {
    const dial = line(target);
    let people: Cast;
    before(async () => {
      people = await cast(target);
    });
    const roles = ["owner", "editor", "viewer"] as const;
    const crowd = (canvas: Stage, size: number) =>
      Promise.all(
        Array.from({ length: size }, (_, index) => dial(canvas, people[roles[index % 3] ?? "owner"])),
      );
    /** Opens connections of which each has a place: the service takes it after the opening response, and nodes take places side by side. */
    const seated = async (canvas: Stage, size: number) => {
      const there = await crowd(canvas, size);
      for (const socket of there) are(await socket.settled(), []);
      return there;
    };

    it("30 connections of a canvas; the 31st is closed for every role, the others stay open", async () => {
      const [canvas, other] = [await stage(target, { people }), await stage(target, { people })];
      const there = await seated(canvas, MOST);
      for (const role of roles)
        same(await (await dial(canvas, people[role])).end(), { code: 4429, frames: [] });
      for (const socket of there) are(await socket.settled(), []);
      are(await (await dial(other, people.viewer)).settled(), []);
    });

    it("a place becomes free when a connection closes or breaks, and no sooner", async () => {
      const canvas = await stage(target, { people });
      const there = await seated(canvas, MOST);
      for (const end of ["close", "drop"] as const) {
        same(await (await dial(canvas, people.owner)).end(), { code: 4429, frames: [] });
        await there.pop()?.[end]();
        there.push(await admitted(dial, canvas, people));
      }
      same(await (await dial(canvas, people.owner)).end(), { code: 4429, frames: [] });
      for (const socket of there) are(await socket.settled(), []);
    });

    it("31 race for the 30th place: one has it", async () => {
      const canvas = await stage(target, { people });
      const there = await seated(canvas, MOST - 1);
      const racing = await crowd(canvas, 31);
      const winners = (await Promise.all(racing.map(isIn))).filter(Boolean);
      assert.equal(winners.length, 1);
      for (const socket of there) are(await socket.settled(), []);
      for (const socket of there) await socket.close();
      await admitted(dial, canvas, people);
    });
  });
}

/**
 * Whether a connection is one of the 30 that its canvas may have. If so, the service answers requests on it; otherwise the service closes
 * the connection with 4429.
 */
async function isIn(socket: Socket): Promise<boolean> {
  try {
    are(await socket.settled(), []);
    return true;
  } catch {
    same(await socket.end(), { code: 4429, frames: [] });
    return false;
  }
}

/** Opens a connection in place of one that has ended. Tries again while the service still counts the ended connection. */
async function admitted(dial: Dial, canvas: Stage, { viewer }: Cast): Promise<Socket> {
  for (let turn = 0; turn < TRIES; turn++) {
    const socket = await dial(canvas, viewer);
    if (await isIn(socket)) return socket;
  }
  return assert.fail(`no place in ${TRIES} tries`);
}
