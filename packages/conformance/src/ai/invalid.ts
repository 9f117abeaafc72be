import { before, describe, it } from "node:test";
import { type Stage, stage } from "../fixture.ts";
import { SMOKE_MALFORMED } from "../json-bodies.ts";
import { refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { ask, chatOf, freshMark } from "./chat.ts";
import { play } from "./script.ts";
import { MODEL } from "./settings.ts";
import { nothingWith } from "./stand-in.ts";

const user = (content: unknown) => ({ role: "user", content });

/**
 * Invalid chats. `fields` returns the fields that replace those of a valid body; a field that is `undefined` is left out. The parameter
 * `message` is the only message of the valid body.
 */
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

/** Tests that the service refuses a request body that is not a valid chat, and sends nothing to the AI provider. */
export function invalid(target: Target): void {
  describe("invalid requests", () => {
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
      const valid = JSON.stringify(body(() => ({})));
      for (const [, hostile] of SMOKE_MALFORMED) {
        const within = Buffer.concat([
          Buffer.from(`${valid.slice(0, -1)},"more":`),
          Buffer.from(hostile),
          Buffer.from("}"),
        ]);
        for (const sent of [hostile, within])
          refused(await owner.send("POST", "/ai/chat", [], sent), 400, "INVALID_BODY");
      }
    });

    it("no refused request has reached the provider", () => nothingWith(target, mark));
  });
}
