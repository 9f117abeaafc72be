import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import { after, before, describe, it } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import type { Json } from "@easel/protocol/types";
import fc from "fast-check";
import { codePoint } from "../code-point.ts";
import { ABSENT, samples } from "../corpus.ts";
import { SMOKE_MALFORMED, SMOKE_WELL_FORMED } from "../json-bodies.ts";
import { same } from "../same.ts";
import type { Target } from "../target.ts";
import { are, enter, failure, message, presence } from "./frame.ts";
import { line } from "./line.ts";
import { freshChannel, type Room, room } from "./room.ts";
import type { Socket } from "./socket.ts";

/**
 * The maximum size in bytes of the data that these tests publish. Data of this size fits in a frame together with the other fields, such as
 * `channel`.
 */
const MAX = 16_000;

/** What the service must do with published data: deliver it (`through`), refuse it, or either of the two. */
type Fate = "through" | "refused" | "either";

const fits = (body: string | Buffer) => Buffer.byteLength(body) <= MAX;
/**
 * Returns whether the service may either deliver or refuse `body`, which is one of `SMOKE_MALFORMED`. True if JavaScript can parse it. Such
 * a body is valid JSON, but is nested too deeply or has a number that no double can hold.
 */
const isDoubtful = (body: string | Buffer) => {
  try {
    JSON.parse(body.toString());
    return true;
  } catch {
    return false;
  }
};

/** Tests malformed and extreme JSON as the data of a published message. */
export function hostileFrames(target: Target): void {
  describe("hostile JSON", () => {
    const dial = line(target, after);
    const channel = freshChannel();
    let here: Room;
    let socket: Socket;
    before(async () => {
      here = await room(target);
      socket = await dial(here, here.people.owner);
      await enter(socket, channel);
    });

    const around = (data: string | Buffer) =>
      Buffer.concat([
        Buffer.from(`{"type":"publish","channel":${JSON.stringify(channel)},"data":`),
        Buffer.from(data),
        Buffer.from("}"),
      ]);
    const cameThrough = (data: Json) => message(channel, "", data, here.users.owner, "owner");

    /**
     * Publishes data and asserts the outcome. Text that is not UTF-8 is sent on a new connection, because the service closes a connection
     * on which it receives such text.
     */
    const meets = async (data: string | Buffer, fate: Fate) => {
      const frame = around(data);
      if (!isUtf8(frame)) {
        assert.notEqual(fate, "through");
        const other = await dial(here, here.people.owner);
        other.sendText(frame);
        const { code, frames } = await other.end();
        return same([code, frames], [1007, []]);
      }
      socket.sendText(frame);
      const answer = await socket.next();
      if (fate === "refused" || (fate === "either" && answer.type === "error"))
        are([answer], [failure("INVALID_FRAME")]);
      else same(answer, cameThrough(JSON.parse(data.toString())));
      are(await socket.settled(), []);
    };

    for (const [name, body] of SMOKE_WELL_FORMED.filter(([, body]) => fits(body))) {
      // The frame around the data adds one level of nesting.
      const fate = name.startsWith("as deep") ? "either" : "through";
      it(`${name}: ${fate}`, () => meets(body, fate));
    }
    it("as deep as JSON may be, the frame included: comes through", async () => {
      const levels = LIMITS.jsonDepth.value - 1;
      await meets("[".repeat(levels) + "]".repeat(levels), "through");
    });
    for (const [name, body] of SMOKE_MALFORMED.filter(([, body]) => fits(body))) {
      const fate = isDoubtful(body) ? "either" : "refused";
      it(`${name}: ${fate}`, () => meets(body, fate));
    }

    it("any JSON comes through as it was sent", async () => {
      const anything = fc
        .jsonValue({ stringUnit: codePoint, maxDepth: 3 })
        .map((value) => JSON.stringify(value));
      await fc.assert(
        fc.asyncProperty(anything.filter(fits), (body) => meets(body, "through")),
        { numRuns: 20 },
      );
    });

    const strings = samples("strings")?.find(({ name }) => name === "blns.json");
    it("every string of the corpus: as channel, event and data", { skip: !strings && ABSENT }, async () => {
      const texts: string[] = JSON.parse(strings?.bytes.toString("utf8") ?? "[]");
      for (const text of texts) {
        const data = { [text]: text };
        socket.send({ type: "publish", channel, event: text, data });
        same(await socket.next(), message(channel, text, data, here.users.owner, "owner"));
        if (text === "" || Buffer.byteLength(text) > 128) continue;
        await enter(socket, text);
        socket.send({ type: "unsubscribe", channel: text });
        socket.send({ type: "presence", channel: text });
        same(await socket.next(), presence(text, []));
      }
    });
  });
}
