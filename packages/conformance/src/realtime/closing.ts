import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { deactivate, disable } from "../admin.ts";
import { amend, type Cast, cast, type Role, type Setup, type Stage, share, stage } from "../fixture.ts";
import { archive, expire, publish, remove, unpublish } from "../lifecycle.ts";
import { PASSWORD } from "../pipeline/causes.ts";
import { answered } from "../refusal.ts";
import { same } from "../same.ts";
import type { Target } from "../target.ts";
import { are, enter, join, leave, message } from "./frame.ts";
import { knock } from "./handshake.ts";
import { line } from "./line.ts";
import { freshChannel, room } from "./room.ts";
import { keys, watch } from "./watching.ts";

/** A change of a canvas. `out` are the people who lose access because of it, and `stays` are those who keep access. */
type Row = [
  name: string,
  out: Role[],
  stays: Role[],
  act: (target: Target, canvas: Stage) => Promise<unknown>,
  setup?: Setup,
];

const ALL: Role[] = ["owner", "editor", "viewer"];
const MANAGERS: Role[] = ["owner", "editor"];

const ROWS: Row[] = [
  [
    "a viewer taken off the list",
    ["viewer"],
    MANAGERS,
    (target, canvas) => share(target, canvas, "private", { editor: "editor" }),
  ],
  [
    "everyone taken off the list",
    ["editor", "viewer"],
    ["owner"],
    (target, canvas) => share(target, canvas, "private", {}),
  ],
  [
    "Whole org made private",
    ["stranger"],
    ALL,
    (target, canvas) => amend(target, canvas, { access: "private" }),
    { access: "whole_org" },
  ],
  [
    "made a Public link",
    ["viewer"],
    MANAGERS,
    (target, canvas) => amend(target, canvas, { access: "public_link" }),
  ],
  ["a password set", ["viewer"], MANAGERS, (target, canvas) => amend(target, canvas, { password: PASSWORD })],
  ["archived", ALL, [], archive],
  ["disabled by an administrator", ALL, [], disable],
  ["deleted", ALL, [], remove],
];

/** Changes by which no person loses access. */
const HARMLESS: Row[] = [
  ["shared with more", [], ALL, (target, canvas) => amend(target, canvas, { access: "whole_org" })],
  [
    "given other roles",
    [],
    ALL,
    (target, canvas) => share(target, canvas, "private", { editor: "viewer", viewer: "editor" }),
  ],
  ["published", [], ALL, (target, canvas) => publish(target, canvas, "<p>new</p>")],
  ["unpublished", [], ALL, unpublish],
];

/** Tests close code 4401: the connections of people who lose access are closed at once. */
export function closing(target: Target): void {
  describe("4401: access lost", () => {
    const dial = line(target);
    let people: Cast;
    before(async () => {
      people = await cast(target);
    });

    for (const [name, out, stays, act, setup] of [...ROWS, ...HARMLESS]) {
      const shut = out.length === 0 ? "nobody" : out.join(", ");
      it(`${name}: ${shut} closed, ${stays.join(", ") || "none"} kept`, async () => {
        const canvas = await stage(target, { people, ...setup });
        const socketOf = (role: Role) => dial(canvas, canvas.people[role]);
        const [losing, keeping] = [
          await Promise.all([...out, ...out].map(socketOf)),
          await Promise.all(stays.map(socketOf)),
        ];
        await act(target, canvas);
        for (const socket of losing) same(await socket.end(), { code: 4401, frames: [] });
        for (const socket of keeping) are(await socket.settled(), []);
        for (const role of out)
          assert.notEqual((await knock(target, canvas.slug, canvas.people[role])).status, 101);
      });
    }

    it("a person deactivated by an administrator, on every canvas", async () => {
      const own = await cast(target);
      const canvases = [await stage(target, { people: own }), await stage(target, { people: own })];
      const losing = await Promise.all(canvases.map((canvas) => dial(canvas, own.viewer)));
      const keeping = await Promise.all(canvases.map((canvas) => dial(canvas, own.editor)));
      await deactivate(target, own.viewer);
      for (const socket of losing) same(await socket.end(), { code: 4401, frames: [] });
      for (const socket of keeping) are(await socket.settled(), []);
    });

    it("a viewer when the time of the share has run out: with the next frame at the latest", async () => {
      const canvas = await stage(target, { people });
      const [out, stays] = [await dial(canvas, people.viewer), await dial(canvas, people.editor)];
      await expire(target, canvas);
      out.send({ type: "subscribe", channel: "c" });
      same(await out.end(), { code: 4401, frames: [] });
      are(await stays.settled(), []);
    });

    it("on its channels the others get `leave`; the closed connection gets neither messages nor changes", async () => {
      const channel = freshChannel();
      const canvas = await room(target, { people });
      const { viewer } = canvas.users;
      const witness = await dial(canvas, people.owner);
      await enter(witness, channel);
      const [first, second] = [await dial(canvas, people.viewer), await dial(canvas, people.viewer)];
      for (const socket of [first, second]) {
        await enter(socket, channel);
        await watch(socket, keys("kv"));
      }
      are(await witness.take(1), [join(channel, viewer)]);
      await share(target, canvas, "private", {});
      witness.send({ type: "publish", channel, data: "at once" });
      answered(await canvas.pages.owner.put("/kv/k", 1), { ok: true });
      for (const socket of [first, second]) same(await socket.end(), { code: 4401, frames: [] });
      const told = await witness.take(2);
      are(
        told.toSorted((a, b) => a.type.localeCompare(b.type)),
        [leave(channel, viewer), message(channel, "", "at once", canvas.users.owner, "owner")],
      );
      are(await witness.settled(), []);
      await share(target, canvas, "private", { viewer: "viewer" });
      same(await enter(await dial(canvas, people.viewer), channel), [canvas.users.owner, viewer]);
    });

    it("losing one canvas closes no connection to another", async () => {
      const [lost, kept] = [await stage(target, { people }), await stage(target, { people })];
      const [out, stays] = [await dial(lost, people.viewer), await dial(kept, people.viewer)];
      await share(target, lost, "private", {});
      same(await out.end(), { code: 4401, frames: [] });
      are(await stays.settled(), []);
    });
  });
}
