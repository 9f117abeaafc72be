import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { manage, stage, turn } from "@easel/conformance/fixture";
import { govern } from "@easel/conformance/policy";
import { are, enter, failure, join, leave, message } from "@easel/conformance/realtime/frame";
import { userOf } from "@easel/conformance/realtime/room";
import type { Socket } from "@easel/conformance/realtime/socket";
import { same } from "@easel/conformance/same";
import { post } from "../../support/client.ts";
import { onEngines } from "../../support/engines.ts";
import { onBothNodes } from "./realtime-node.ts";

await onEngines("a canvas on two nodes", (target, env) => {
  const dial = onBothNodes(target, env);

  describe("changes of access take effect on both", () => {
    const channel = "c";
    const say = (socket: Socket, data: string) => socket.send({ type: "publish", channel, data });

    it("a transfer: both roles change", async () => {
      const canvas = await stage(target);
      const { owner, editor } = canvas.people;
      const [users, sockets] = [
        await Promise.all([owner, editor].map((person) => userOf(target, person))),
        await dial(canvas, [owner, editor]),
      ];
      const [formerUser, nextUser] = users;
      const [former, , next] = sockets;
      assert.ok(former && next && formerUser && nextUser);
      for (const socket of sockets) await enter(socket, channel);
      for (const socket of sockets) await socket.settled();
      const path = `/api/canvases/${canvas.id}/owner`;
      assert.equal((await manage(target, owner, "PUT", path, { email: editor.email })).status, 200);
      say(former, "I was");
      for (const socket of sockets)
        are([await socket.next()], [message(channel, "", "I was", formerUser, "editor")]);
      say(next, "I am");
      for (const socket of sockets)
        are([await socket.next()], [message(channel, "", "I am", nextUser, "owner")]);
    });

    it("a policy takes effect on both nodes, and others get one leave frame", async () => {
      const canvas = await stage(target);
      const { owner, viewer } = canvas.people;
      const user = await userOf(target, viewer);
      const [[witness, other], sockets] = [await dial(canvas, [owner]), await dial(canvas, [viewer])];
      assert.ok(witness && other);
      for (const socket of [witness, other, ...sockets]) await enter(socket, channel);
      for (const socket of [witness, other]) are(await socket.settled(), [join(channel, user)]);
      const closed = {
        subscribe: "editors",
        publish: "editors",
        seePresence: "editors",
        participatePresence: "viewers",
      } as const;
      await govern(target, canvas, { channels: { [channel]: closed } });
      for (const socket of sockets) are([await socket.next()], [failure("PERMISSION_DENIED", { channel })]);
      for (const socket of [witness, other]) are(await socket.settled(), [leave(channel, user)]);
      await govern(target, canvas, null);
      for (const socket of [witness, other, ...sockets]) are(await socket.settled(), []);
    });

    it("realtime off: 4403 on both nodes, and nothing on other canvases", async () => {
      const [canvas, untouched] = [await stage(target), await stage(target)];
      const { owner, viewer } = canvas.people;
      const sockets = await dial(canvas, [owner, viewer]);
      const others = await dial(untouched, [untouched.people.viewer]);
      for (const socket of [...sockets, ...others]) await socket.settled();
      await turn(target, canvas, { realtime: false });
      for (const socket of sockets) {
        const { code, frames } = await socket.end();
        same([code, frames.map((frame) => frame.code)], [4403, ["CAPABILITY_DISABLED"]]);
      }
      for (const socket of others) are(await socket.settled(), []);
    });

    it("instance settings do not close connections of listed people", async () => {
      const canvas = await stage(target);
      const admin = await target.signIn(target.admin);
      const sockets = await dial(canvas, [canvas.people.owner, canvas.people.viewer]);
      for (const publicLinks of [false, null])
        assert.equal(
          (await manage(target, admin, "PATCH", "/api/admin/settings", { publicLinks })).status,
          200,
        );
      for (const socket of sockets) are(await socket.settled(), []);
    });

    it("refused changes and the sign-out of others close no connection", async () => {
      const canvas = await stage(target);
      const { owner, viewer, stranger } = canvas.people;
      const sockets = await dial(canvas, [owner, viewer]);
      for (const [person, method, path] of [
        [stranger, "DELETE", `/api/canvases/${canvas.id}`],
        [viewer, "PUT", `/api/canvases/${canvas.id}/sharing`],
        [owner, "PUT", `/api/canvases/${canvas.id}/sharing`],
      ] as const)
        assert.ok((await manage(target, person, method, path, { people: "nobody" })).status >= 400);
      await post(target.base, "/auth/logout", stranger.headers, "");
      for (const socket of sockets) are(await socket.settled(), []);
    });
  });

  describe("messages reach both", () => {
    it("channels, presence and changes are the same on both", async () => {
      const channel = "participants:x";
      const canvas = await stage(target);
      const { owner, viewer } = canvas.people;
      const [ownerUser, viewerUser] = [await userOf(target, owner), await userOf(target, viewer)];
      const [a, b] = await dial(canvas, [owner]);
      const [, c] = await dial(canvas, [viewer]);
      assert.ok(a && b && c);
      same(await enter(a, channel), [ownerUser]);
      same(await enter(c, channel), [ownerUser, viewerUser]);
      same(await enter(b, channel), [ownerUser, viewerUser]);
      are(await a.settled(), [join(channel, viewerUser)]);
      c.send({ type: "publish", channel: channel, data: 1 });
      const said = message(channel, "", 1, viewerUser, "viewer");
      for (const socket of [a, b, c]) are([await socket.next()], [said]);
      const watched = { resource: "kv", prefix: "" };
      for (const socket of [a, c])
        same(await socket.ask({ type: "watch", ...watched }), { type: "watching", ...watched });
      assert.equal((await canvas.pages.owner.put("/kv/k", 1)).status, 200);
      for (const socket of [a, c])
        same(await socket.next(), { type: "change", resource: "kv", key: "k", op: "set", value: 1 });
      await c.drop();
      for (const socket of [a, b]) are([await socket.next()], [leave(channel, viewerUser)]);
    });

    it("30 places on both nodes together; the 31st connection is refused on either", async () => {
      const canvas = await stage(target);
      const { owner, viewer } = canvas.people;
      for (let each = 0; each < 15; each++)
        for (const socket of await dial(canvas, [viewer])) await socket.settled();
      for (const socket of await dial(canvas, [owner])) same(await socket.end(), { code: 4429, frames: [] });
    });
  });
});
