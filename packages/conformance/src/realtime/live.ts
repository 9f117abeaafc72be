import { before, describe, it } from "node:test";
import type { ChannelPolicy } from "@easel/protocol/policy";
import { type Cast, cast, share } from "../fixture.ts";
import { govern } from "../policy.ts";
import { same } from "../same.ts";
import type { Target } from "../target.ts";
import { are, enter, failure, gets, join, leave, message, presence, subscribed } from "./frame.ts";
import { line } from "./line.ts";
import { OPEN } from "./rights-oracle.ts";
import { type Room, room } from "./room.ts";

const CHANNEL = "stage";
const DENIED = failure("PERMISSION_DENIED", { channel: CHANNEL });

/** Tests rights on open connections: a new policy or role applies at once. */
export function live(target: Target): void {
  describe("rights as they change, on open connections", () => {
    const dial = line(target);
    let people: Cast;
    before(async () => {
      people = await cast(target);
    });
    const policed = (here: Room, policy: Partial<ChannelPolicy> | null) =>
      govern(target, here, policy && { channels: { [CHANNEL]: { ...OPEN, ...policy } } });
    /**
     * Creates a canvas. Its policy for `CHANNEL` is `OPEN` with the changes in `policy`; null means that the canvas has no policy.
     * Subscribes an editor and a viewer to the channel, and discards the frames that they receive.
     */
    const seated = async (policy: Partial<ChannelPolicy> | null) => {
      const here = await room(target, { people });
      await policed(here, policy);
      const editor = await dial(here, people.editor);
      const viewer = await dial(here, people.viewer);
      editor.send({ type: "subscribe", channel: CHANNEL });
      await editor.settled();
      viewer.send({ type: "subscribe", channel: CHANNEL });
      await viewer.settled();
      await editor.settled();
      const says = (data: string) => message(CHANNEL, "", data, here.users.editor, "editor");
      const say = (data: string) => editor.send({ type: "publish", channel: CHANNEL, data });
      return { here, editor, viewer, say, says };
    };

    it("subscribe lost: PERMISSION_DENIED, no more messages, `leave` to the others; it does not come back by itself", async () => {
      const { here, editor, viewer, say, says } = await seated(null);
      await policed(here, { subscribe: "editors" });
      same(await editor.next(), leave(CHANNEL, here.users.viewer));
      are([await viewer.next()], [DENIED]);
      say("without the viewer");
      await gets(editor, [says("without the viewer")]);
      viewer.send({ type: "subscribe", channel: CHANNEL });
      await gets(viewer, [DENIED]);
      await policed(here, null);
      say("still without");
      await gets(editor, [says("still without")]);
      await gets(viewer, []);
      same(await enter(viewer, CHANNEL), [here.users.editor, here.users.viewer]);
      say("with");
      await gets(viewer, [says("with")]);
      await gets(editor, [join(CHANNEL, here.users.viewer), says("with")]);
    });

    it("subscribe revoked with two connections: each gets PERMISSION_DENIED, the others one `leave`", async () => {
      const { here, editor, viewer, say, says } = await seated(null);
      const second = await dial(here, people.viewer);
      await enter(second, CHANNEL);
      await policed(here, { subscribe: "editors" });
      say("at once");
      for (const socket of [viewer, second]) await gets(socket, [DENIED]);
      const told = await editor.take(2);
      are(
        told.toSorted((a, b) => a.type.localeCompare(b.type)),
        [leave(CHANNEL, here.users.viewer), says("at once")],
      );
      await policed(here, null);
      say("alone");
      await gets(editor, [says("alone")]);
      for (const socket of [viewer, second]) await gets(socket, []);
    });

    it("publish revoked and granted: applies to the next publish", async () => {
      const { here, editor, viewer } = await seated(null);
      for (const [publish, passes] of [
        ["viewers", true],
        ["editors", false],
        ["viewers", true],
        ["none", false],
      ] as const) {
        await policed(here, { publish });
        viewer.send({ type: "publish", channel: CHANNEL, data: publish });
        const expected = message(CHANNEL, "", publish, here.users.viewer, "viewer");
        await gets(viewer, [passes ? expected : DENIED]);
        await gets(editor, passes ? [expected] : []);
      }
      await policed(here, { publish: "none" });
      editor.send({ type: "publish", channel: CHANNEL });
      await gets(editor, [DENIED]);
    });

    it("participatePresence lost: `leave` to the others, the messages go on; given: `join`", async () => {
      const { here, editor, viewer, say, says } = await seated(null);
      await policed(here, { participatePresence: "editors" });
      same(await editor.next(), leave(CHANNEL, here.users.viewer));
      editor.send({ type: "presence", channel: CHANNEL });
      same(await editor.next(), presence(CHANNEL, [here.users.editor]));
      say("unseen");
      await gets(viewer, [says("unseen")]);
      same(await editor.next(), says("unseen"));
      viewer.send({ type: "unsubscribe", channel: CHANNEL });
      viewer.send({ type: "subscribe", channel: CHANNEL });
      await gets(viewer, [subscribed(CHANNEL), presence(CHANNEL, [here.users.editor])]);
      await gets(editor, []);
      await policed(here, {});
      await gets(editor, [join(CHANNEL, here.users.viewer)]);
      await gets(viewer, []);
    });

    it("seePresence revoked: no more `join` and `leave`; granted: the presence list", async () => {
      const { here, editor, viewer, say, says } = await seated(null);
      const owner = await dial(here, people.owner);
      await policed(here, { seePresence: "editors" });
      viewer.send({ type: "presence", channel: CHANNEL });
      await gets(viewer, [DENIED]);
      same(await enter(owner, CHANNEL), [here.users.editor, here.users.viewer, here.users.owner]);
      say("unseeing");
      await gets(viewer, [says("unseeing")]);
      await policed(here, {});
      await gets(viewer, [presence(CHANNEL, [here.users.editor, here.users.viewer, here.users.owner])]);
      owner.send({ type: "unsubscribe", channel: CHANNEL });
      same(await viewer.next(), leave(CHANNEL, here.users.owner));
      are(await editor.take(3), [
        join(CHANNEL, here.users.owner),
        says("unseeing"),
        leave(CHANNEL, here.users.owner),
      ]);
    });

    it("a role granted and revoked: messages carry the new role, and its right to publish applies", async () => {
      const { here, editor, viewer } = await seated(null);
      const turns = [
        ["editor", message(CHANNEL, "", "editor", here.users.viewer, "editor")],
        ["viewer", DENIED],
        ["editor", message(CHANNEL, "", "editor", here.users.viewer, "editor")],
      ] as const;
      for (const [role, expected] of turns) {
        await share(target, here, "whole_org", { editor: "editor", viewer: role });
        viewer.send({ type: "publish", channel: CHANNEL, data: role });
        await gets(viewer, [expected]);
        await gets(editor, expected === DENIED ? [] : [expected]);
      }
    });

    it("a role granted and revoked: subscription and presence on a channel of editors", async () => {
      const { here, editor, viewer } = await seated({ subscribe: "editors", seePresence: "editors" });
      viewer.send({ type: "subscribe", channel: CHANNEL });
      await gets(viewer, [DENIED]);
      await share(target, here, "whole_org", { editor: "editor", viewer: "editor" });
      same(await enter(viewer, CHANNEL), [here.users.editor, here.users.viewer]);
      await share(target, here, "whole_org", { editor: "editor", viewer: "viewer" });
      are([await viewer.next()], [DENIED]);
      are(await editor.take(2), [join(CHANNEL, here.users.viewer), leave(CHANNEL, here.users.viewer)]);
      await share(target, here, "whole_org", { editor: "viewer", viewer: "viewer" });
      are([await editor.next()], [DENIED]);
      for (const socket of [viewer, editor]) await gets(socket, []);
    });

    it("a role granted: presence is sent to those who may see it from now on", async () => {
      const { here, editor, viewer } = await seated({ seePresence: "editors" });
      await share(target, here, "whole_org", { editor: "editor", viewer: "editor" });
      await gets(viewer, [presence(CHANNEL, [here.users.editor, here.users.viewer])]);
      await gets(editor, []);
    });

    it("a policy of another channel, and an equal policy, change nothing", async () => {
      const { here, editor, viewer } = await seated({});
      const none: ChannelPolicy = {
        subscribe: "none",
        publish: "none",
        seePresence: "none",
        participatePresence: "none",
      };
      await govern(target, here, { channels: { [CHANNEL]: OPEN, other: none } });
      await govern(target, here, {
        channels: { [CHANNEL]: OPEN },
        collections: { [CHANNEL]: { preset: "personal" } },
      });
      for (const socket of [editor, viewer]) await gets(socket, []);
    });

    it("the policy of one canvas does not apply to another", async () => {
      const [one, other] = [await seated(null), await seated(null)];
      await policed(one.here, { subscribe: "none" });
      are([await one.viewer.next()], [DENIED]);
      other.say("here");
      await gets(other.viewer, [other.says("here")]);
    });
  });
}
