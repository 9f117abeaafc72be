import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { spend } from "../bucket.ts";
import { readableFrom } from "../cors.ts";
import { type Cast, cast, freshSlug, stage } from "../fixture.ts";
import { pageOrigin } from "../page.ts";
import { refused, unauthenticated } from "../refusal.ts";
import { same } from "../same.ts";
import type { Target } from "../target.ts";
import { are, enter, failure, gets, message, presence } from "./frame.ts";
import { knock } from "./handshake.ts";
import { line } from "./line.ts";
import { freshChannel, type Room, room } from "./room.ts";

const PUBLISHES = 100;
const OTHERS = 600;
const PATIENCE = 1_000;

/** Tests that a WebSocket handshake counts against the rate limit like any other request (specification 4.1, step 2). */
export function handshakeRates(target: Target): void {
  describe("handshakes spend the bucket of the canvas", () => {
    let people: Cast;
    before(async () => {
      people = await cast(target);
    });

    it("429 RATE_LIMITED instead of 101, with its four headers", async () => {
      const { slug } = await stage(target, { people });
      const { passed, limit, refusal } = await spend(() => knock(target, slug, people.viewer), 101);
      assert.equal(passed, limit);
      const { headers } = refusal;
      assert.equal(headers["x-ratelimit-remaining"], "0");
      assert.match(String(headers["x-ratelimit-reset"]), /^\d+$/);
      const wait = Number(headers["retry-after"]);
      assert.ok(wait >= 1 && wait <= 60, `Retry-After: ${wait}`);
      if (target.urlMode === "subdomain") readableFrom(refusal, pageOrigin(target, slug));
    });

    it("one bucket with the person's other requests to the canvas", async () => {
      const { slug, pages } = await stage(target, { people });
      await spend(() => pages.viewer.get("/me"));
      refused(await knock(target, slug, people.viewer), 429, "RATE_LIMITED");
      assert.equal((await knock(target, slug, people.editor)).status, 101);
    });

    it("is checked after authentication and before access", async () => {
      const slug = freshSlug();
      await spend(() => knock(target, slug, people.viewer), 404);
      unauthenticated(await knock(target, slug, null), target);
    });
  });
}

/** Tests the rate limits on frames, which are counted per connection and minute. */
export function metering(target: Target): void {
  describe("RATE_LIMITED", () => {
    const dial = line(target);
    let here: Room;
    before(async () => {
      here = await room(target);
    });
    // Creates a new canvas for each test, because handshakes spend the rate-limit bucket of a canvas.
    const fresh = async () => ({ ...(await stage(target, { people: here.people })), users: here.users });
    const publishes = (channel: string, from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => ({ type: "publish", channel, data: from + index }));

    it("100 publishes a minute on a connection, the 101st is refused; another connection has its own limit", async () => {
      const channel = freshChannel();
      const canvas = await fresh();
      const { viewer } = canvas.users;
      const [socket, other] = [
        await dial(canvas, canvas.people.viewer),
        await dial(canvas, canvas.people.viewer),
      ];
      await enter(socket, channel);
      for (const frame of publishes(channel, 0, PUBLISHES + 5)) socket.send(frame);
      const expected = publishes(channel, 0, PUBLISHES).map(({ data }) =>
        message(channel, "", data, viewer, "viewer"),
      );
      const refusals = Array.from({ length: 5 }, () => failure("RATE_LIMITED", { channel }));
      const frames = await socket.take(expected.length + refusals.length);
      are(
        frames.filter(({ type }) => type === "message"),
        expected,
      );
      are(
        frames.filter(({ type }) => type !== "message"),
        refusals,
      );
      socket.send({ type: "presence", channel });
      await gets(socket, [presence(channel, [viewer])]);
      other.send({ type: "publish", channel, data: "other" });
      same(await socket.next(), message(channel, "", "other", viewer, "viewer"));
    });

    it("a forbidden publish counts; past the limit it gets RATE_LIMITED instead of PERMISSION_DENIED", async () => {
      const canvas = await fresh();
      const socket = await dial(canvas, canvas.people.viewer);
      for (const frame of publishes("room", 0, PUBLISHES)) socket.send(frame);
      are(
        await socket.take(PUBLISHES),
        Array.from({ length: PUBLISHES }, () => failure("PERMISSION_DENIED", { channel: "room" })),
      );
      socket.send({ type: "publish", channel: "room" });
      same((await socket.next()).code, "RATE_LIMITED");
      const channel = freshChannel();
      socket.send({ type: "publish", channel });
      await gets(socket, [failure("RATE_LIMITED", { channel })]);
    });

    it("600 frames of all other kinds together; publishes go on", async () => {
      const channel = freshChannel();
      const canvas = await fresh();
      const { viewer } = canvas.users;
      const socket = await dial(canvas, canvas.people.viewer);
      await enter(socket, channel);
      for (let count = 1; count < OTHERS; count++) socket.send({ type: "presence", channel });
      const answers = await socket.take(OTHERS - 1);
      are(answers, new Array(OTHERS - 1).fill(presence(channel, [viewer])));
      for (const type of ["presence", "subscribe", "unsubscribe"]) socket.send({ type, channel });
      socket.send({ type: "publish", channel, data: "goes on" });
      are(await socket.take(4), [
        ...new Array(3).fill(failure("RATE_LIMITED", { channel })),
        message(channel, "", "goes on", viewer, "viewer"),
      ]);
    });

    it("invalid frames count with the other kinds", async () => {
      const channel = freshChannel();
      const canvas = await fresh();
      const socket = await dial(canvas, canvas.people.viewer);
      const bad = ["{", '{"type":"nope"}', '{"type":"publish"}', Buffer.alloc(1)];
      for (let count = 0; count < OTHERS; count++) socket.send(bad[count % bad.length] ?? "");
      const codes = new Set((await socket.take(OTHERS)).map(({ code }) => code));
      assert.deepEqual(codes, new Set(["INVALID_FRAME", "UNKNOWN_FRAME"]));
      socket.send({ type: "subscribe", channel });
      same((await socket.next()).code, "RATE_LIMITED");
    });

    it("1008 after a thousand refused frames", async () => {
      const channel = freshChannel();
      const canvas = await fresh();
      const [socket, other] = [
        await dial(canvas, canvas.people.viewer),
        await dial(canvas, canvas.people.owner),
      ];
      for (const frame of publishes(channel, 0, PUBLISHES + PATIENCE + 100)) socket.send(frame);
      const { code, frames } = await socket.end();
      assert.equal(code, 1008);
      are(frames, new Array(PATIENCE).fill(failure("RATE_LIMITED", { channel })));
      are(await other.settled(), []);
    });
  });
}
