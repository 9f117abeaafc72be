import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Channels } from "./channels.ts";
import type { Client } from "./client.ts";
import { Subscription } from "./subscription.ts";

const ALL = { subscribe: true, publish: true, seePresence: true, participatePresence: true };

/** A subscription of `me` whose client got no list yet, and the frames that the client has got. */
function subscribed() {
  const sent: string[] = [];
  const client = {
    access: { canvas: { id: "c" }, user: { id: "me" } },
    deliver: (frame: Buffer, isWanted: () => boolean) => void (isWanted() && sent.push(String(frame))),
  } as unknown as Client;
  const subscription = new Subscription("channel", ALL, client);
  subscription.open = true;
  const change = (type: "join" | "leave", user: string) =>
    subscription.onPresence({ frame: Buffer.from(`${type} ${user}`), user, isPresent: type === "join" });
  return { subscription, sent, change };
}

describe("changes of presence", () => {
  it("a change that the list shows is not sent again, others are", () => {
    const { subscription, sent, change } = subscribed();
    subscription.listed([
      { id: "me", name: "Me" },
      { id: "ada", name: "Ada" },
    ]);
    change("join", "ada");
    change("leave", "bob");
    change("join", "me");
    assert.deepEqual(sent, []);
    change("join", "bob");
    change("join", "bob");
    change("leave", "ada");
    change("join", "ada");
    assert.deepEqual(sent, ["join bob", "leave ada", "join ada"]);
  });

  it("changes wait while a list is read, and come after it in their order", () => {
    const { subscription, sent, change } = subscribed();
    subscription.holdPresence();
    for (const user of ["ada", "bob"]) change("join", user);
    change("leave", "bob");
    assert.deepEqual(sent, []);
    subscription.listed([{ id: "ada", name: "Ada" }]);
    subscription.passPresence();
    assert.deepEqual(sent, ["join bob", "leave bob"]);
  });

  it("without a list, every change is sent", () => {
    const { sent, change } = subscribed();
    change("join", "ada");
    change("leave", "bob");
    assert.deepEqual(sent, ["join ada", "leave bob"]);
  });

  it("a change that another node publishes while somebody subscribes comes after their first list", async () => {
    const sent: string[] = [];
    const client = {
      access: {
        canvas: { id: "c" },
        user: { id: "me", name: "Me" },
        role: "viewer",
        policy: { channels: {} },
      },
      send: (frame: string) => void sent.push(String((JSON.parse(frame) as { type: string }).type)),
      deliver: (frame: Buffer, isWanted: () => boolean) => void (isWanted() && sent.push(String(frame))),
    } as unknown as Client;
    let subscription: Subscription | undefined;
    const topics = {
      async subscribe(_topic: string, to: Subscription) {
        subscription = to;
      },
    };
    const bus = {
      async join() {
        subscription?.onPresence({ frame: Buffer.from("join ada"), user: "ada", isPresent: true });
        return false;
      },
      members: async () => [{ id: "me", name: "Me" }],
    };
    await new Channels(client, topics as never, bus as never).subscribe("participants:x");
    assert.deepEqual(sent, ["subscribed", "presence", "join ada"]);
  });
});
