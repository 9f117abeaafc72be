import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { same } from "../same.ts";
import type { Target } from "../target.ts";
import { are, enter, entered, gets, join, leave, message, presence, subscribed } from "./frame.ts";
import { line } from "./line.ts";
import { freshChannel, type Room, room, type User } from "./room.ts";
import type { Socket } from "./socket.ts";

/** Tests presence on a channel: it lists each person once, whatever the number of their connections. */
export function people(target: Target): void {
  describe("presence on a channel", () => {
    const dial = line(target);
    let here: Room;
    before(async () => {
      here = await room(target);
    });
    const sit = (...roles: ("owner" | "editor" | "viewer" | "stranger")[]) =>
      Promise.all(roles.map((role) => dial(here, here.people[role]))) as Promise<
        [Socket, Socket, Socket, Socket]
      >;
    const mark = (socket: Socket, channel: string) =>
      socket.send({ type: "publish", channel, event: "mark" });
    const marked = (channel: string, user: User) => message(channel, "mark", null, user, "viewer");

    it("subscribe: `subscribed`, then the presence list; `join` to the others", async () => {
      const channel = freshChannel();
      const { owner, editor, viewer } = here.users;
      const [first, second, third] = await sit("owner", "editor", "viewer");
      first.send({ type: "subscribe", channel });
      await gets(first, [subscribed(channel), presence(channel, [owner])]);
      second.send({ type: "subscribe", channel });
      await gets(second, [subscribed(channel), presence(channel, [owner, editor])]);
      third.send({ type: "subscribe", channel });
      await gets(third, [subscribed(channel), presence(channel, [owner, editor, viewer])]);
      await gets(first, [join(channel, editor), join(channel, viewer)]);
      await gets(second, [join(channel, viewer)]);
    });

    it("unsubscribe: no answer, `leave` to the others", async () => {
      const channel = freshChannel();
      const [first, second] = await sit("owner", "viewer");
      await enter(first, channel);
      await enter(second, channel);
      second.send({ type: "unsubscribe", channel });
      await gets(second, []);
      await gets(first, [join(channel, here.users.viewer), leave(channel, here.users.viewer)]);
    });

    it("subscribing again answers again and changes nothing", async () => {
      const channel = freshChannel();
      const { owner, viewer } = here.users;
      const [first, second] = await sit("owner", "viewer");
      await enter(first, channel);
      for (let turn = 0; turn < 3; turn++) same(await enter(second, channel), [owner, viewer]);
      mark(second, channel);
      await gets(second, [marked(channel, viewer)]);
      await gets(first, [join(channel, viewer), marked(channel, viewer)]);
      second.send({ type: "unsubscribe", channel });
      same(await first.next(), leave(channel, viewer));
      second.send({ type: "presence", channel });
      await gets(second, [presence(channel, [owner])]);
    });

    it("a second connection of a person is no second person: no `join`, and one `leave`", async () => {
      const channel = freshChannel();
      const { owner, viewer } = here.users;
      const [witness, first, second] = await sit("owner", "viewer", "viewer");
      await enter(witness, channel);
      same(await enter(first, channel), [owner, viewer]);
      same(await enter(second, channel), [owner, viewer]);
      first.send({ type: "unsubscribe", channel });
      await gets(first, []);
      mark(second, channel);
      await gets(second, [marked(channel, viewer)]);
      second.send({ type: "unsubscribe", channel });
      await gets(second, []);
      await gets(witness, [join(channel, viewer), marked(channel, viewer), leave(channel, viewer)]);
    });

    for (const end of ["close", "drop"] as const) {
      it(`a connection that ends (${end}) leaves its channels, if the person has no other there`, async () => {
        const [one, two] = [freshChannel(), freshChannel()];
        const { owner, viewer } = here.users;
        const [witness, first, second] = await sit("owner", "viewer", "viewer");
        for (const channel of [one, two]) {
          await enter(witness, channel);
          await enter(first, channel);
          are([await witness.next()], [join(channel, viewer)]);
        }
        await enter(second, two);
        await first[end]();
        are([await witness.next()], [leave(one, viewer)]);
        witness.send({ type: "presence", channel: two });
        are([await witness.next()], [presence(two, [owner, viewer])]);
        mark(second, two);
        are([await witness.next()], [marked(two, viewer)]);
        await second[end]();
        await gets(witness, [leave(two, viewer)]);
      });
    }

    it("ten connections of a person come and go at once: one `join`, one `leave`", async () => {
      const channel = freshChannel();
      const { owner, viewer } = here.users;
      const [witness] = await sit("owner");
      await enter(witness, channel);
      const crowd = await Promise.all(Array.from({ length: 10 }, () => dial(here, here.people.viewer)));
      for (const users of await Promise.all(crowd.map((socket) => enter(socket, channel))))
        same(users, [owner, viewer]);
      await gets(witness, [join(channel, viewer)]);
      await Promise.all(crowd.map((socket) => socket.close()));
      are([await witness.next()], [leave(channel, viewer)]);
      const [last] = await sit("stranger");
      same(await enter(last, channel), [owner, here.users.stranger]);
      await gets(witness, [join(channel, here.users.stranger)]);
    });

    it("people who subscribe at once each get one `join` of the others", async () => {
      const channel = freshChannel();
      const { owner, editor, viewer, stranger } = here.users;
      const sockets = await sit("owner", "editor", "viewer", "stranger");
      const [witness, ...others] = sockets;
      await enter(witness, channel);
      for (const socket of others) socket.send({ type: "subscribe", channel });
      const joins = await witness.take(3);
      const ids = (users: unknown[]) => users.map((user) => (user as User).id).sort();
      assert.deepEqual(ids(joins.map(({ user }) => user)), ids([editor, viewer, stranger]));
      are(await witness.settled(), []);
      witness.send({ type: "presence", channel });
      const { users } = await witness.next();
      assert.deepEqual(ids(users as User[]), ids([owner, editor, viewer, stranger]));
      for (const socket of others) {
        const found = (await entered(socket, channel)) as User[];
        const came = (await socket.take(4 - found.length)).map(({ user }) => user);
        assert.deepEqual(ids([...found, ...came]), ids([owner, editor, viewer, stranger]));
        are(await socket.settled(), []);
      }
    });

    it("a person who subscribes again is listed last", async () => {
      const channel = freshChannel();
      const { owner, editor, viewer } = here.users;
      const [first, second, third] = await sit("owner", "editor", "viewer");
      for (const socket of [first, second, third]) await enter(socket, channel);
      are(await first.take(2), [join(channel, editor), join(channel, viewer)]);
      first.send({ type: "unsubscribe", channel });
      same(await enter(first, channel), [editor, viewer, owner]);
      same(
        (await third.take(2)).map(({ type }) => type),
        ["leave", "join"],
      );
      same(await third.ask({ type: "presence", channel }), presence(channel, [editor, viewer, owner]));
    });

    it("presence can be requested without a subscription, and for an empty channel", async () => {
      const channel = freshChannel();
      const [first, second] = await sit("owner", "viewer");
      second.send({ type: "presence", channel });
      await gets(second, [presence(channel, [])]);
      await enter(first, channel);
      second.send({ type: "presence", channel });
      await gets(second, [presence(channel, [here.users.owner])]);
      await gets(first, []);
    });

    it("unsubscribing without a subscription has no effect", async () => {
      const channel = freshChannel();
      const [first, second] = await sit("owner", "viewer");
      await enter(first, channel);
      second.send({ type: "unsubscribe", channel });
      await gets(second, []);
      second.send({ type: "subscribe", channel });
      second.send({ type: "unsubscribe", channel });
      second.send({ type: "unsubscribe", channel });
      const { owner, viewer } = here.users;
      await gets(second, [subscribed(channel), presence(channel, [owner, viewer])]);
      await gets(first, [join(channel, viewer), leave(channel, viewer)]);
    });
  });
}
