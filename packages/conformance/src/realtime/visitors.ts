import { before, describe, it } from "node:test";
import { stage } from "../fixture.ts";
import { accept, invite } from "../guest.ts";
import { same } from "../same.ts";
import { freshEmail, type Target } from "../target.ts";
import { tokenOf } from "../token.ts";
import { enter, gets, join, message } from "./frame.ts";
import { line } from "./line.ts";
import { freshChannel, type Room, room, userOf } from "./room.ts";

/** Tests the id and name that a person has on a channel, for every kind of caller. */
export function visitors(target: Target): void {
  describe("identities on a channel", () => {
    const dial = line(target);
    let here: Room;
    before(async () => {
      here = await room(target);
    });

    it("a channel belongs to one canvas", async () => {
      const channel = freshChannel();
      const other = await room(target, { people: here.people });
      const first = await dial(here, here.people.owner);
      const second = await dial(other, other.people.viewer);
      await enter(first, channel);
      same(await enter(second, channel), [here.users.viewer]);
      second.send({ type: "publish", channel });
      await gets(second, [message(channel, "", null, here.users.viewer, "viewer")]);
      await gets(first, []);
    });

    it("a guest is present once, with the id of their invitation, in all its sessions; a name is any text", async () => {
      const channel = freshChannel();
      const canvas = await stage(target, { people: here.people });
      const name = 'Zoë "<b>" \\ 😀';
      const invited = await invite(target, canvas, freshEmail("guest"), name);
      const guest = { id: `guest:${invited.id}`, name };
      const sessions = await Promise.all([accept(target, invited), accept(target, invited)]);
      const witness = await dial(canvas, here.people.owner);
      await enter(witness, channel);
      for (const session of sessions)
        same(await enter(await dial(canvas, session), channel), [here.users.owner, guest]);
      await gets(witness, [join(channel, guest)]);
    });

    it("a program with a token is present as the token's person", async () => {
      const channel = freshChannel();
      const { owner, viewer } = here.users;
      const token = await tokenOf(target, here.people.viewer);
      const witness = await dial(here, here.people.owner);
      const first = await dial(here, here.people.viewer);
      await enter(witness, channel);
      await enter(first, channel);
      same(await enter(await dial(here, token, []), channel), [owner, viewer]);
      await gets(witness, [join(channel, viewer)]);
    });

    it("an administrator is present as a viewer", async () => {
      const channel = freshChannel();
      const admin = await target.signIn(target.admin);
      const user = await userOf(target, admin);
      const witness = await dial(here, here.people.viewer);
      await enter(witness, channel);
      const socket = await dial(here, admin);
      same(await enter(socket, channel), [here.users.viewer, user]);
      socket.send({ type: "publish", channel });
      await gets(witness, [join(channel, user), message(channel, "", null, user, "viewer")]);
    });
  });
}
