import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJson } from "../../http/body.ts";
import { Refusal } from "../../http/refusal.ts";
import { validate } from "../../http/validate.ts";
import { chatBody } from "./operations.ts";

const MINIMAL = { model: "m", messages: [{ role: "user", content: "Hello" }] };
const parseChat = (bytes: Buffer) => validate(parseJson(bytes), chatBody);
const parse = (body: unknown) => parseChat(Buffer.from(JSON.stringify(body)));

test("a chat needs a model and messages; it gets 1024 tokens by default", () => {
  assert.deepEqual(parse(MINIMAL), { ...MINIMAL, maxTokens: 1024 });
});

test("all fields", () => {
  const body = {
    ...MINIMAL,
    messages: [
      { role: "assistant", content: "" },
      { role: "user", content: "Hello" },
      { role: "user", content: "" },
    ],
    system: "",
    maxTokens: 1,
  };
  assert.deepEqual(parse(body), body);
});

test("maxTokens above 8192 counts as 8192", () => {
  for (const maxTokens of [8192, 8193, Number.MAX_SAFE_INTEGER])
    assert.equal(parse({ ...MINIMAL, maxTokens }).maxTokens, 8192);
});

test("unknown fields are dropped", () => {
  const message = { role: "user", content: "Hello", cache_control: { type: "ephemeral" } };
  const body = { ...MINIMAL, messages: [message], tools: [], temperature: 2, stream: false };
  assert.deepEqual(parse(body), { ...MINIMAL, maxTokens: 1024 });
});

const INVALID: [what: string, body: unknown][] = [
  ["null", null],
  ["a list", [MINIMAL]],
  ["no model", { messages: MINIMAL.messages }],
  ["an empty model", { ...MINIMAL, model: "" }],
  ["a model of 201 characters", { ...MINIMAL, model: "m".repeat(201) }],
  ["no messages", { model: "m" }],
  ["an empty list of messages", { ...MINIMAL, messages: [] }],
  ["a message with the role system", { ...MINIMAL, messages: [{ role: "system", content: "Hello" }] }],
  ["a message without a role", { ...MINIMAL, messages: [{ content: "Hello" }] }],
  ["a message without content", { ...MINIMAL, messages: [{ role: "user" }] }],
  ["a message of parts", { ...MINIMAL, messages: [{ role: "user", content: [{ type: "text", text: "" }] }] }],
  ["a message that is a string", { ...MINIMAL, messages: ["Hello"] }],
  ["a system prompt that is no string", { ...MINIMAL, system: null }],
  ["maxTokens 0", { ...MINIMAL, maxTokens: 0 }],
  ["negative maxTokens", { ...MINIMAL, maxTokens: -1 }],
  ["a fraction of maxTokens", { ...MINIMAL, maxTokens: 1.5 }],
  ["maxTokens as a string", { ...MINIMAL, maxTokens: "1" }],
  ["maxTokens null", { ...MINIMAL, maxTokens: null }],
];

for (const [what, body] of INVALID)
  test(`400 INVALID_BODY: ${what}`, () => {
    assert.throws(
      () => parse(body),
      (error) => error instanceof Refusal && error.code === "INVALID_BODY",
    );
  });

test("400 INVALID_BODY: no JSON, and bytes that are no UTF-8", () => {
  for (const bytes of [Buffer.alloc(0), Buffer.from("{"), Buffer.from([0x22, 0xff, 0x22])])
    assert.throws(
      () => parseChat(bytes),
      (error) => error instanceof Refusal && error.code === "INVALID_BODY",
    );
});

const LIST =
  '`messages` must be a list of at least one { role, content }, with the role "user" or "assistant" and text as content.';

/** A body, the place of its first fault, and the message of the refusal, which names the first faulty message only. */
const FAULTS: [body: unknown, field: string, message: string][] = [
  [{ ...MINIMAL, messages: [] }, "messages", LIST],
  [
    { model: 1, messages: [{ role: "robot", content: 2 }] },
    "model",
    '`model` must be text. `messages[0].role` must be "user" or "assistant".',
  ],
  [
    { ...MINIMAL, messages: [...MINIMAL.messages, { role: "user" }, {}] },
    "messages[1].content",
    "`messages[1].content` is missing.",
  ],
  [{ ...MINIMAL, messages: ["Hello"] }, "messages[0]", "`messages[0]` must be an object."],
];

for (const [body, field, message] of FAULTS)
  test(message, () => {
    assert.throws(
      () => parse(body),
      (error) => error instanceof Refusal && error.body.field === field && error.message === message,
    );
  });

test("a body full of faulty messages gets a short message", () => {
  const bytes = Buffer.from(JSON.stringify({ ...MINIMAL, messages: Array(100_000).fill(1) }));
  assert.throws(
    () => parseChat(bytes),
    (error) => error instanceof Refusal && error.code === "INVALID_BODY" && error.message.length < 500,
  );
});
