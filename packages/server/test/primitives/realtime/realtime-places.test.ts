import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import { line } from "@easel/conformance/realtime/line";
import { userOf } from "@easel/conformance/realtime/room";
import type { Socket } from "@easel/conformance/realtime/socket";
import { same } from "@easel/conformance/same";
import type { Target } from "@easel/conformance/target";
import type { CallLogPage, Usage } from "@easel/protocol/management";
import { startDev } from "../../support/engines.ts";
import type { Scope } from "../../support/service.ts";
import { startNode } from "./realtime-node.ts";

const scopeOf = (t: Scope): Scope => ({ after: (end) => t.after(end) });

/** Starts a service on two nodes. `dials` opens connections on one node or the other. */
async function twoNodes(t: Scope, settings: Record<string, string> = {}) {
  const { target, env } = await startDev(scopeOf(t), settings);
  const other = await startNode(scopeOf(t), env);
  return { target, dials: [line(target), line(other.target)] as const };
}

const placesOf = async (target: Target, { id, people }: Stage) =>
  ((await manage(target, people.editor, "GET", `/api/canvases/${id}/usage`)).json as unknown as Usage)
    .realtime;

const closing = async (socket: Socket) => [(await socket.end()).code, socket.reason];

describe("who has the realtime connections of a canvas", () => {
  it("one person has all: owner, editors and the call log are told who, others only that it is full", async (t) => {
    const { target, dials } = await twoNodes(t);
    const canvas = await stage(target);
    const { owner, editor, viewer } = canvas.people;
    const hostile = await userOf(target, viewer);
    for (let each = 0; each < 30; each++)
      await (await dials[each % 2 === 0 ? 0 : 1](canvas, viewer)).settled();
    const who = `canvas full: ${hostile.name} has 30`;
    for (const [person, reason] of [
      [owner, who],
      [editor, who],
      [viewer, "canvas full"],
    ] as const)
      for (const dial of dials) same(await closing(await dial(canvas, person)), [4429, reason]);
    same(await placesOf(target, canvas), {
      connections: 30,
      limit: 30,
      limitPerPerson: null,
      people: [{ ...hostile, connections: 30 }],
    });
    const { entries } = (await manage(target, owner, "GET", `/api/canvases/${canvas.id}/log`))
      .json as unknown as CallLogPage;
    assert.ok(entries.length > 0 && entries.every(({ message }) => message === who));
  });

  it("many people have some: the reason names as many as fit into a close frame", async (t) => {
    const { target, dials } = await twoNodes(t);
    const canvas = await stage(target);
    const { owner, editor, viewer } = canvas.people;
    for (let each = 0; each < 30; each++)
      await (await dials[0](canvas, each < 20 ? viewer : each < 29 ? editor : owner)).settled();
    const names = await Promise.all([viewer, editor].map(async (each) => (await userOf(target, each)).name));
    const [code, reason = ""] = await closing(await dials[1](canvas, owner));
    assert.equal(code, 4429);
    assert.ok(
      String(reason).startsWith(`canvas full: ${names[0]} has 20, ${names[1]} has 9`),
      String(reason),
    );
    same(
      (await placesOf(target, canvas)).people.map(({ connections }) => connections),
      [20, 9, 1],
    );
  });

  it("`SERVICE_REALTIME_CONNECTIONS_PER_CANVAS` says how many a canvas has, on all nodes together", async (t) => {
    const { target, dials } = await twoNodes(t, { SERVICE_REALTIME_CONNECTIONS_PER_CANVAS: "32" });
    const canvas = await stage(target);
    for (let each = 0; each < 32; each++)
      await (await dials[each % 2 === 0 ? 0 : 1](canvas, canvas.people.viewer)).settled();
    const [code] = await closing(await dials[0](canvas, canvas.people.viewer));
    same([code, (await placesOf(target, canvas)).limit], [4429, 32]);
  });

  it("without connections there are no people", async (t) => {
    const { target } = await twoNodes(t);
    const { connections, people } = await placesOf(target, await stage(target));
    same([connections, people], [0, []]);
  });
});

describe("SERVICE_REALTIME_CONNECTIONS_PER_PERSON", () => {
  it("a person past it is closed on every node; all others get in, and so does the person after a close", async (t) => {
    const { target, dials } = await twoNodes(t, { SERVICE_REALTIME_CONNECTIONS_PER_PERSON: "3" });
    const canvas = await stage(target);
    const { owner, editor, viewer } = canvas.people;
    const tabs = [
      await dials[0](canvas, viewer),
      await dials[1](canvas, viewer),
      await dials[0](canvas, viewer),
    ];
    for (const tab of tabs) same(await tab.settled(), []);
    for (let each = 0; each < 15; each++)
      for (const dial of dials) {
        const refused = await dial(canvas, viewer);
        same(await refused.end(), { code: 4429, frames: [] });
        same(refused.reason, "too many connections of yours");
      }
    for (const person of [owner, editor])
      for (const dial of dials) same(await (await dial(canvas, person)).settled(), []);
    const other = await stage(target, { people: canvas.people });
    same(await (await dials[0](other, viewer)).settled(), []);
    const { limitPerPerson, people } = await placesOf(target, canvas);
    same([limitPerPerson, people.map(({ connections }) => connections)], [3, [3, 2, 2]]);
    await tabs[0]?.close();
    await until("the place is free", async () => {
      const socket = await dials[1](canvas, viewer);
      return socket.settled().then(
        () => true,
        () => false,
      );
    });
  });

  for (const value of ["0", "-1", "2.5", "many"])
    it(`${value} is refused at the start`, async (t) => {
      await assert.rejects(
        startDev(scopeOf(t), { SERVICE_REALTIME_CONNECTIONS_PER_PERSON: value }),
        /SERVICE_REALTIME_CONNECTIONS_PER_PERSON/,
      );
    });
});
