import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { amend, share, turn } from "@easel/conformance/fixture";
import { archive } from "@easel/conformance/lifecycle";
import { govern } from "@easel/conformance/policy";
import { are, enter, failure, gets, message } from "@easel/conformance/realtime/frame";
import { line } from "@easel/conformance/realtime/line";
import { type Room, room } from "@easel/conformance/realtime/room";
import type { Socket } from "@easel/conformance/realtime/socket";
import { same } from "@easel/conformance/same";
import type { ChannelPolicy, RuntimePolicy } from "@easel/protocol/policy";
import { memory } from "../../../src/drivers/bus/memory.ts";
import { DocumentCache } from "../../../src/drivers/document-cache.ts";
import { onSqlite } from "../../support/engines.ts";
import { SECOND } from "../../support/time.ts";
import { Clock, policyRead, SlowDb, startNode } from "./realtime-node.ts";

const CHANNEL = "participants:c";
const DENIED = failure("PERMISSION_DENIED", { channel: CHANNEL });
const EVERYONE: ChannelPolicy = {
  subscribe: "viewers",
  publish: "viewers",
  seePresence: "viewers",
  participatePresence: "viewers",
};
const NOBODY: ChannelPolicy = { ...EVERYONE, subscribe: "none", publish: "none", seePresence: "none" };
const channel = (policy: Partial<ChannelPolicy>): RuntimePolicy => ({
  channels: { [CHANNEL]: { ...EVERYONE, ...policy } },
});

await onSqlite("a node that is not notified of changes on other nodes", (target, main) => {
  const slow = new SlowDb(main.db);
  const clock = new Clock();
  const own = { db: slow.db, bus: memory(), policies: new DocumentCache<RuntimePolicy>(), clock: clock.now };
  const quiet = startNode({ after }, main, own);
  const dialing = quiet.then((node) => line(node.target));

  /** Connects the owner and the viewer, subscribes both to the channel, and reads the frames of the subscriptions. */
  const seated = async (policy?: RuntimePolicy) => {
    const here = await room(target);
    if (policy !== undefined) await govern(target, here, policy);
    const dial = await dialing;
    const [owner, viewer] = [
      await dial(here, here.people.owner, []),
      await dial(here, here.people.viewer, []),
    ];
    await enter(owner, CHANNEL);
    await enter(viewer, CHANNEL);
    await owner.settled();
    return { here, owner, viewer };
  };
  const asks = (socket: Socket, ...types: string[]) => {
    for (const type of types) socket.send({ type, channel: CHANNEL });
  };

  const out: [name: string, code: number, act: (here: Room) => Promise<unknown>][] = [
    ["removed from the list", 4401, (here) => share(target, here, "private", {})],
    ["a password", 4401, (here) => amend(target, here, { password: "secret-word" })],
    ["archived", 4401, (here) => archive(target, here)],
    ["realtime off", 4403, (here) => turn(target, here, { realtime: false })],
  ];
  describe("lost access", () => {
    for (const [name, code, act] of out) {
      for (const type of ["publish", "subscribe", "presence", "unsubscribe"]) {
        it(`${name}: ${type} has no effect, and closes with ${code}`, async () => {
          const { here, owner, viewer } = await seated();
          await act(here);
          asks(viewer, type, "publish");
          const { code: closed, frames } = await viewer.end();
          assert.equal(closed, code);
          assert.equal(frames.length, code === 4403 ? 1 : 0);
          if (name === "removed from the list" || name === "a password")
            are(await owner.settled(), [{ type: "leave", channel: CHANNEL, user: here.users.viewer }]);
        });
      }

      it(`${name}: closed with ${code} at the next heartbeat, without a frame of the client`, async () => {
        const { here, viewer } = await seated();
        await act(here);
        clock.pass(31 * SECOND);
        assert.equal((await viewer.end()).code, code);
      });
    }
  });

  describe("changed rights", () => {
    it("a role applies from the next frame", async () => {
      const { here, owner, viewer } = await seated(channel({ publish: "editors" }));
      asks(viewer, "publish");
      await gets(viewer, [DENIED]);
      await share(target, here, "whole_org", { viewer: "editor" });
      asks(viewer, "publish");
      const said = message(CHANNEL, "", null, here.users.viewer, "editor");
      await gets(viewer, [said]);
      are(await owner.settled(), [said]);
      await share(target, here, "whole_org", { viewer: "viewer" });
      asks(viewer, "publish");
      await gets(viewer, [DENIED]);
      are(await owner.settled(), []);
    });

    it("a policy applies from the next frame; the error for a lost channel comes before the response", async () => {
      const { here, owner, viewer } = await seated();
      await govern(target, here, channel({ publish: "editors" }));
      asks(viewer, "publish");
      await gets(viewer, [DENIED]);
      await govern(target, here, channel({ subscribe: "editors" }));
      asks(viewer, "presence");
      same((await viewer.next()).code, "PERMISSION_DENIED");
      same(await viewer.next(), { type: "presence", channel: CHANNEL, users: [here.users.owner] });
      are(await owner.settled(), [{ type: "leave", channel: CHANNEL, user: here.users.viewer }]);
    });

    it("key-value store off: a watch is refused, and changes are not delivered", async () => {
      const { here, viewer } = await seated();
      const keys = { resource: "kv", prefix: "" };
      same(await viewer.ask({ type: "watch", ...keys }), { type: "watching", ...keys });
      await turn(target, here, { kv: false });
      await gets(viewer, []);
      viewer.send({ type: "watch", ...keys });
      await gets(viewer, [failure("CAPABILITY_DISABLED", keys)]);
    });
  });

  describe("a policy that is replaced while it is read", () => {
    const hiding = (mark: string): RuntimePolicy => ({ channels: { [CHANNEL]: NOBODY, [mark]: NOBODY } });
    for (const type of ["subscribe", "publish", "presence"]) {
      it(`${type}: nothing that both versions deny is allowed`, async () => {
        const { here, viewer } = await seated();
        const raced = Promise.withResolvers<void>();
        slow.before(policyRead, () => govern(target, here, hiding("b")).then(raced.resolve));
        await govern(target, here, hiding("a"));
        asks(viewer, type);
        await raced.promise;
        // The first error reports the end of the subscription, the second one is the response.
        await gets(viewer, [DENIED, DENIED]);
      });
    }
  });
});
