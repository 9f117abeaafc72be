import assert from "node:assert/strict";
import { after, it } from "node:test";
import { share, stage } from "@easel/conformance/fixture";
import { govern } from "@easel/conformance/policy";
import { are, enter, failure, message, presence } from "@easel/conformance/realtime/frame";
import { room, userOf } from "@easel/conformance/realtime/room";
import { connect } from "@easel/conformance/realtime/socket";
import type { Bus } from "../../../src/drivers/bus/bus.ts";
import { startDev } from "../../support/engines.ts";
import { startNode } from "./realtime-node.ts";

const scope = { after };
const { env, target } = await startDev(scope);

type OnMissed = Parameters<Bus["onMissed"]>[0];

/** The listeners of missed messages on a second node, and the topics of which it receives no messages at present. */
const listeners = new Set<OnMissed>();
const cut = new Set<string>();
let renewals = 0;

const bus: Bus = {
  ...env.bus,
  subscribe: (topic, listener) =>
    env.bus.subscribe(topic, (text) => {
      if (!cut.has(topic.split(" ")[0] as string)) listener(text);
    }),
  onMissed(listener) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  renewLease(lease) {
    renewals++;
    return env.bus.renewLease(lease);
  },
};
const { target: other } = await startNode(scope, env, { bus });

/** Cuts the second node off from topics that begin with these words while `work` runs. Then it is told what it has missed. */
async function missing(words: string[], work: () => Promise<unknown>, isMissed: (topic: string) => boolean) {
  for (const word of words) cut.add(word);
  await work();
  cut.clear();
  for (const listener of listeners) listener(isMissed);
}

it("a user who lost access while the node was cut off gets no message that follows", async () => {
  for (let round = 0; round < 3; round++) {
    const canvas = await stage(target);
    const { owner, viewer } = canvas.people;
    const [says, hears] = [
      await connect(target, canvas.slug, owner),
      await connect(other, canvas.slug, viewer),
    ];
    await enter(hears, "c");
    const watched = { resource: "kv", prefix: "" };
    await hears.ask({ type: "watch", ...watched });
    await missing(
      ["access"],
      () => share(target, canvas, "private", {}),
      () => true,
    );
    for (let each = 0; each < 10; each++) says.send({ type: "publish", channel: "c", data: "secret" });
    const { code, frames } = await hears.end();
    assert.equal(code, 4401);
    are(frames, [{ type: "resync", ...watched }]);
    await says.close();
  }
});

it("a role that has changed meanwhile applies to what follows", async () => {
  const canvas = await stage(target);
  const { owner, viewer } = canvas.people;
  const [says, hears] = [
    await connect(target, canvas.slug, owner),
    await connect(other, canvas.slug, viewer),
  ];
  await enter(hears, "c");
  const rights = {
    subscribe: "editors",
    publish: "editors",
    seePresence: "editors",
    participatePresence: "editors",
  } as const;
  await missing(
    ["access"],
    () => govern(target, canvas, { channels: { c: rights } }),
    () => true,
  );
  says.send({ type: "publish", channel: "c", data: "secret" });
  are(await hears.settled(), [failure("PERMISSION_DENIED", { channel: "c" })]);
  for (const socket of [says, hears]) await socket.close();
});

it("changes and presence that were missed: resync first, then the members, then what follows", async () => {
  const here = await room(target);
  const { owner, viewer, editor } = here.people;
  const [says, hears] = [await connect(target, here.slug, owner), await connect(other, here.slug, viewer)];
  await enter(says, "c");
  await enter(hears, "c");
  const watched = [{ resource: "kv", prefix: "a" }, { resource: "files" }];
  for (const each of watched) await hears.ask({ type: "watch", ...each });
  await hears.settled();
  const joins = async () => enter(await connect(target, here.slug, editor), "c");
  await missing(["channel", "changes"], joins, () => true);
  says.send({ type: "publish", channel: "c", data: 1 });
  const frames = await hears.take(4);
  are(frames, [
    ...watched.map((each) => ({ type: "resync", ...each })),
    presence("c", [here.users.owner, here.users.viewer, here.users.editor]),
    message("c", "", 1, await userOf(target, owner), "owner"),
  ]);
  await says.close();
  await hears.close();
});

it("only what was missed is made up for", async () => {
  const [one, two] = [await room(target), await room(target)];
  const sockets = [
    await connect(other, one.slug, one.people.viewer),
    await connect(other, two.slug, two.people.viewer),
  ] as const;
  const watched = { resource: "kv", prefix: "" };
  for (const socket of sockets) {
    await enter(socket, "c");
    await socket.ask({ type: "watch", ...watched });
    await socket.settled();
  }
  await missing(
    [],
    async () => {},
    (topic) => topic === `changes ${one.id}`,
  );
  are(await sockets[0].settled(), [{ type: "resync", ...watched }]);
  are(await sockets[1].settled(), []);
  await missing(
    [],
    async () => {},
    (topic) => topic === `channel ${two.id} c`,
  );
  are(await sockets[0].settled(), []);
  are(await sockets[1].settled(), [presence("c", [two.users.viewer])]);
  for (const socket of sockets) await socket.close();
});

it("the lease is renewed at once", async () => {
  const before = renewals;
  await missing(
    [],
    async () => {},
    () => true,
  );
  assert.equal(renewals, before + 1);
  // The renewal is still under way.
  const during = renewals;
  await missing(
    [],
    async () => {},
    () => true,
  );
  await new Promise(setImmediate);
  assert.equal(renewals, during + 1);
});
