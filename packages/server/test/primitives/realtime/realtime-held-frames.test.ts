import assert from "node:assert/strict";
import { after, it } from "node:test";
import { amend, type Role, share } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import { govern } from "@easel/conformance/policy";
import { are, enter, failure, gets, message } from "@easel/conformance/realtime/frame";
import { line } from "@easel/conformance/realtime/line";
import { freshChannel, room } from "@easel/conformance/realtime/room";
import { same } from "@easel/conformance/same";
import { DocumentCache } from "../../../src/drivers/document-cache.ts";
import { onSqlite } from "../../support/engines.ts";
import { entryOf, policyRead, SlowDb, startNode } from "./realtime-node.ts";
import { handshake, statusIn, Wire } from "./realtime-wire.ts";

/** Channel rights that allow nobody anything. */
const NOBODY = {
  subscribe: "none",
  publish: "none",
  seePresence: "none",
  participatePresence: "none",
} as const;

/** Channel rights with which viewers stay subscribed, and only owner and editors see presence. */
const SEATED = { subscribe: "viewers", seePresence: "editors", participatePresence: "viewers" } as const;

await onSqlite(
  "while a recheck of access is pending",
  (main, env) => {
    const slow = new SlowDb(env.db);
    const node = startNode({ after }, env, { db: slow.db, policies: new DocumentCache() });
    const start = async () => {
      const { target } = await node;
      const here = await room(target);
      const channel = freshChannel();
      return { target, here, channel };
    };
    const dial: ReturnType<typeof line> = async (...to) => (await dialing)(...to);
    const dialing = node.then(({ target }) => line(target, after));

    /** Connects the owner and the viewer, subscribes both to a channel, and reads the frames of the subscriptions. */
    const seated = async () => {
      const scene = await start();
      const { here, channel } = scene;
      const sit = async (role: Role) => {
        const socket = await dial(here, here.people[role]);
        await enter(socket, channel);
        return socket;
      };
      const [viewer, owner] = [await sit("viewer"), await sit("owner")];
      are(await viewer.settled(), [{ type: "join", channel, user: here.users.owner }]);
      const said = (data: number) => message(channel, "", data, here.users.owner, "owner");
      const say = async (...all: number[]) => {
        for (const data of all) owner.send({ type: "publish", channel, data });
        are(await owner.take(all.length), all.map(said));
        are(await owner.settled(), []);
      };
      return { ...scene, owner, viewer, said, say, hold: () => slow.hold(entryOf(here.people.viewer.email)) };
    };

    it("frames are held, and dropped when access was lost", async () => {
      const { target, here, viewer, owner, say, hold, channel } = await seated();
      const held = hold();
      await share(target, here, "private", { editor: "editor" });
      await held.reached;
      await say(1, 2, 3);
      held.pass();
      same(await viewer.end(), { code: 4401, frames: [] });
      are([await owner.next()], [{ type: "leave", channel, user: here.users.viewer }]);
    });

    it("held frames are delivered in order, before later ones, when access was kept", async () => {
      const { target, here, viewer, say, said, hold } = await seated();
      const held = hold();
      await amend(target, here, { access: "private" });
      await held.reached;
      await say(1, 2, 3);
      held.pass();
      await say(4);
      await gets(viewer, [1, 2, 3, 4].map(said));
    });

    it("a second recheck during the first: frames are held until both are done", async () => {
      const { target, here, viewer, say, hold } = await seated();
      const first = hold();
      await amend(target, here, { access: "private" });
      await first.reached;
      await say(1);
      await share(target, here, "private", {});
      const second = hold();
      first.pass();
      await second.reached;
      await say(2);
      second.pass();
      same(await viewer.end(), { code: 4401, frames: [] });
    });

    it("a failed recheck: 1011, held frames are dropped, other connections stay open", async () => {
      const { target, here, viewer, owner, say, hold, channel } = await seated();
      const held = hold();
      await amend(target, here, { access: "private" });
      await held.reached;
      await say(1);
      held.fail();
      same(await viewer.end(), { code: 1011, frames: [] });
      are([await owner.next()], [{ type: "leave", channel, user: here.users.viewer }]);
      await say(2);
    });

    it("a failed check before a client's frame: 1011, and the frame has no effect", async () => {
      const { viewer, owner, say, hold, channel, here } = await seated();
      const held = hold();
      viewer.send({ type: "publish", channel, data: 1 });
      await held.reached;
      held.fail();
      same(await viewer.end(), { code: 1011, frames: [] });
      are([await owner.next()], [{ type: "leave", channel, user: here.users.viewer }]);
      await say(2);
    });

    it("frames from before the client's close frame are handled after it", async () => {
      const { here, viewer, owner, hold, channel } = await seated();
      const held = hold();
      viewer.send({ type: "publish", channel, data: 1 });
      viewer.send({ type: "unsubscribe", channel });
      viewer.send({ type: "publish", channel, data: 2 });
      await viewer.close();
      held.pass();
      const { users } = here;
      are(await owner.take(3), [
        message(channel, "", 1, users.viewer, "viewer"),
        { type: "leave", channel, user: users.viewer },
        message(channel, "", 2, users.viewer, "viewer"),
      ]);
    });

    it("a channel lost meanwhile: its held frames are dropped, those of others delivered", async () => {
      const { target, here, viewer, owner, channel, hold, say } = await seated();
      const other = freshChannel();
      await enter(viewer, other);
      const held = hold();
      await govern(target, here, {
        channels: { [channel]: { ...NOBODY, publish: "editors", subscribe: "editors" } },
      });
      await held.reached;
      await say(1);
      owner.send({ type: "publish", channel: other, data: 2 });
      await owner.settled();
      held.pass();
      const expected = message(other, "", 2, here.users.owner, "owner");
      await gets(viewer, [failure("PERMISSION_DENIED", { channel }), expected]);
    });

    it("presence lost meanwhile: held join frames are dropped", async () => {
      const { target, here, viewer, owner, channel, hold } = await seated();
      const held = hold();
      await govern(target, here, { channels: { [channel]: { ...NOBODY, ...SEATED } } });
      await held.reached;
      const third = await dial(here, here.people.editor);
      await enter(third, channel);
      await third.close();
      await owner.settled();
      held.pass();
      await gets(viewer, []);
    });

    it("held changes are delivered only to those who may read them after the recheck", async () => {
      const { target, here, viewer, hold } = await seated();
      viewer.send({ type: "watch", resource: "collection", name: "board" });
      same((await viewer.next()).code, "COLLECTION_NOT_CONFIGURED");
      await govern(target, here, { collections: { board: { preset: "contributions" } } });
      const board = { resource: "collection", name: "board" };
      same(await viewer.ask({ type: "watch", ...board }), { type: "watching", ...board });
      const add = async () => (await here.pages.owner.post("/collections/board", 1)).json;
      const set = ({ id, authorId, value, updatedAt }: Record<string, unknown>) => ({
        ...{ type: "change", ...board, id, op: "set" },
        record: { id, authorId, value, updatedAt },
      });
      const resync = { type: "resync", ...board };
      const held = hold();
      await govern(target, here, { collections: { board: { preset: "submissions" } } });
      await held.reached;
      await add();
      held.pass();
      await gets(viewer, [resync]);
      const again = hold();
      await govern(target, here, { collections: { board: { preset: "contributions" } } });
      await again.reached;
      const record = await add();
      again.pass();
      await gets(viewer, [resync, set(record)]);
    });

    it("access lost during the handshake: 4401, and the place is free", async () => {
      const { target, here } = await start();
      const held = slow.hold(entryOf(here.people.viewer.email));
      const wire = new Wire(target.base);
      wire.write(handshake(target.base, `/v1/c/${here.slug}/realtime`, here.people.viewer.headers));
      wire.send({ type: "presence", channel: "c" });
      await held.reached;
      await share(target, here, "private", {});
      held.pass();
      assert.equal(statusIn(await wire.head()), 101);
      assert.deepEqual(await wire.closing(), { code: 4401, texts: [] });
      wire.drop();
      await until(
        "the place is free",
        async () => (await env.bus.holders(`realtime ${here.id}`)).length === 0,
      );
    });

    it("a policy that is replaced while it is read: what both versions hide stays hidden", async () => {
      const { here } = await start();
      const secret = "participants:secret";
      const hiding = (mark: string) => ({ channels: { [secret]: NOBODY, [mark]: NOBODY } });
      await govern(main, here, { channels: { [secret]: { ...NOBODY, subscribe: "viewers" } } });
      const viewer = await dial(here, here.people.viewer);
      same(await viewer.ask({ type: "subscribe", channel: secret }), { type: "subscribed", channel: secret });
      const raced = Promise.withResolvers<void>();
      slow.before(policyRead, () => govern(main, here, hiding("b")).then(raced.resolve));
      await govern(main, here, hiding("a"));
      await raced.promise;
      await gets(viewer, [failure("PERMISSION_DENIED", { channel: secret })]);
    });
  },
  { SERVICE_LOG_LEVEL: "fatal" },
);
