import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import { type Stage, stage } from "../fixture.ts";
import { flood } from "../flood.ts";
import type { Header } from "../http.ts";
import { SMOKE_MALFORMED } from "../json-bodies.ts";
import { pageHeaders } from "../page.ts";
import { plain, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { ask, chatOf, doneOf, freshMark } from "./chat.ts";
import { promptOf } from "./prompt.ts";
import { play } from "./script.ts";
import { MODEL, OTHER_MODEL, UNLISTED_MODEL, UNPRICED_MODEL } from "./settings.ts";
import { nothingWith, onlyWith, standInOf } from "./stand-in.ts";

const MAX_BYTES = LIMITS.aiBodyBytes.value;
const MAX_TOKENS = LIMITS.aiMaxTokens.value;
const DEFAULT_TOKENS = 1024;

const user = (content: unknown) => ({ role: "user", content });

/** Replaces fields of a valid body. `undefined` leaves the field out. `messages` receives the message that names the mark. */
const INVALID: [name: string, fields: (message: object) => object][] = [
  ["no model", () => ({ model: undefined })],
  ["an empty model", () => ({ model: "" })],
  ["a model that is a number", () => ({ model: 1 })],
  ["a model that is null", () => ({ model: null })],
  ["a model that is a list", () => ({ model: [MODEL] })],
  ["no messages", () => ({ messages: undefined })],
  ["an empty list of messages", () => ({ messages: [] })],
  ["messages that are null", () => ({ messages: null })],
  ["messages that are one message", (message) => ({ messages: message })],
  ["messages that are a string", () => ({ messages: "Hello" })],
  ["a message that is null", (message) => ({ messages: [null, message] })],
  ["a message that is a string", (message) => ({ messages: ["Hello", message] })],
  ["a message without a role", (message) => ({ messages: [{ content: "Hello" }, message] })],
  ["a system message", (message) => ({ messages: [{ role: "system", content: "Hello" }, message] })],
  ["a tool message", (message) => ({ messages: [message, { role: "tool", content: "Hello" }] })],
  ["a role in upper case", (message) => ({ messages: [{ role: "User", content: "Hello" }, message] })],
  ["a message without content", (message) => ({ messages: [{ role: "user" }, message] })],
  ["content that is a number", (message) => ({ messages: [user(1), message] })],
  ["content that is null", (message) => ({ messages: [user(null), message] })],
  ["content in parts", (message) => ({ messages: [user([{ type: "text", text: "a" }]), message] })],
  ["a system prompt that is a number", () => ({ system: 1 })],
  ["a system prompt that is null", () => ({ system: null })],
  ["a system prompt in parts", () => ({ system: [{ type: "text", text: "a" }] })],
  ["maxTokens 0", () => ({ maxTokens: 0 })],
  ["maxTokens below 0", () => ({ maxTokens: -1 })],
  ["maxTokens with a fraction", () => ({ maxTokens: 1.5 })],
  ["maxTokens as a string", () => ({ maxTokens: "10" })],
  ["maxTokens that is null", () => ({ maxTokens: null })],
];

const NOT_OBJECTS = ["null", "[]", '"Hello"', "1", "true", '[{"model":"a"}]'];

/** The maximum output that the provider is asked for. */
const OUTPUTS: [name: string, maxTokens: number | undefined, received: number][] = [
  ["absent", undefined, DEFAULT_TOKENS],
  ["1", 1, 1],
  ["the maximum", MAX_TOKENS, MAX_TOKENS],
  ["one above the maximum", MAX_TOKENS + 1, MAX_TOKENS],
  ["far above the maximum", 1e9, MAX_TOKENS],
];

const FORBIDDEN: [name: string, model: string][] = [
  ["unknown", "no-such-model"],
  ["not on the allowlist", UNLISTED_MODEL],
  ["without a price", UNPRICED_MODEL],
  ["in upper case", MODEL.toUpperCase()],
  ["with a space after it", `${MODEL} `],
  ["__proto__", "__proto__"],
  ["constructor", "constructor"],
];

/** Returns a body of exactly `bytes` bytes, most of which are characters of two bytes. */
function sized(bytes: number, mark: string): string {
  const bodyWith = (system: string) => JSON.stringify(chatOf([{ end: {} }], mark, { system }));
  const room = bytes - Buffer.byteLength(bodyWith(""));
  return bodyWith("é".repeat(Math.floor(room / 2)) + "a".repeat(room % 2));
}

/** Tests the rules for the body of a chat. */
export function requests(target: Target): void {
  describe("requests", () => {
    let canvas: Stage;
    let mark: string;
    before(async () => {
      canvas = await stage(target);
      mark = freshMark();
    });
    const body = (fields: (message: object) => object) =>
      chatOf([{ end: {} }], mark, fields(user(play([{ end: {} }], mark))));

    for (const [name, fields] of INVALID) {
      it(`${name}: 400 INVALID_BODY`, async () => {
        refused(await ask(canvas.pages.owner, body(fields)), 400, "INVALID_BODY");
      });
    }

    it("JSON that is no object: 400 INVALID_BODY", async () => {
      for (const each of NOT_OBJECTS) refused(await ask(canvas.pages.owner, each), 400, "INVALID_BODY");
    });

    it("malformed and hostile JSON: 400 INVALID_BODY", async () => {
      const { owner } = canvas.pages;
      for (const [name, hostile] of SMOKE_MALFORMED) {
        const valid = JSON.stringify(body(() => ({})));
        const within = Buffer.concat([
          Buffer.from(`${valid.slice(0, -1)},"more":`),
          Buffer.from(hostile),
          Buffer.from("}"),
        ]);
        for (const sent of [hostile, within])
          refused(await owner.send("POST", "/ai/chat", [], sent), 400, "INVALID_BODY");
        assert.ok(name);
      }
    });

    it("no refused request has reached the provider", () => nothingWith(target, mark));

    for (const [name, model] of FORBIDDEN) {
      it(`a model that is ${name}: 403 MODEL_NOT_ALLOWED`, async () => {
        const own = freshMark();
        const answer = await ask(canvas.pages.owner, chatOf([{ end: {} }], own, { model }));
        refused(answer, 403, "MODEL_NOT_ALLOWED");
        plain(answer);
        await nothingWith(target, own);
      });
    }

    it("each model on the allowlist is asked by its name", async () => {
      for (const model of [MODEL, OTHER_MODEL]) {
        const own = freshMark();
        doneOf(await ask(canvas.pages.owner, chatOf([{ end: {} }], own, { model })));
        assert.equal((await onlyWith(target, own)).body.model, model);
      }
    });

    for (const [name, maxTokens, received] of OUTPUTS) {
      it(`maxTokens ${name}: the provider is asked for ${received}`, async () => {
        const own = freshMark();
        doneOf(await ask(canvas.pages.owner, chatOf([{ end: {} }], own, { maxTokens })));
        assert.equal(promptOf(await onlyWith(target, own), standInOf(target)).maxTokens, received);
      });
    }

    it("unknown fields are ignored, and do not reach the provider", async () => {
      const own = freshMark();
      const more = { temperature: 2, stream: false, tools: [{ name: "spy" }], metadata: { user: "spy" } };
      const message = { ...user(play([{ text: "Hi" }, { end: {} }], own)), name: "spy" };
      const sent = `{"__proto__":{"system":"spy"},${JSON.stringify(chatOf([], "", { ...more, messages: [message] })).slice(1)}`;
      assert.equal(doneOf(await ask(canvas.pages.owner, sent)).text, "Hi");
      const received = await onlyWith(target, own);
      assert.deepEqual([received.body.temperature, received.body.tools], [undefined, undefined]);
      assert.equal(received.body.stream, true);
      assert.doesNotMatch(JSON.stringify(received.body), /spy/);
    });

    it("the content type is not checked", async () => {
      const types: Header[][] = [[], [["Content-Type", "text/plain"]], [["Content-Type", "image/png"]]];
      for (const headers of types)
        assert.equal(doneOf(await ask(canvas.pages.owner, chatOf([{ end: {} }]), headers)).text, "");
    });

    it("a body of exactly 256 KiB is read", async () => {
      const own = freshMark();
      const sent = sized(MAX_BYTES, own);
      assert.equal(Buffer.byteLength(sent), MAX_BYTES);
      doneOf(await ask(canvas.pages.owner, sent));
      await onlyWith(target, own);
    });

    it("one byte more: 413 BODY_TOO_LARGE, announced or not, before the end of the body", async () => {
      const own = freshMark();
      const answer = await ask(canvas.pages.owner, sized(MAX_BYTES + 1, own));
      refused(answer, 413, "BODY_TOO_LARGE");
      plain(answer);
      const { slug, people } = canvas;
      const headers = [...people.owner.headers, ...pageHeaders(target, slug)];
      const request = { method: "POST", path: `/v1/c/${slug}/ai/chat`, headers };
      for (const part of [
        { announced: MAX_BYTES + 1, sent: 0 },
        { announced: null, sent: MAX_BYTES + 1 },
      ])
        refused(await flood(target.base, request, part), 413, "BODY_TOO_LARGE");
      await nothingWith(target, own);
    });
  });
}
