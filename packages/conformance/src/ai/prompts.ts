import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Stage } from "../fixture.ts";
import type { Target } from "../target.ts";
import { ask, chatOf, chatRoom, doneOf, freshMark } from "./chat.ts";
import { promptOf } from "./prompt.ts";
import { play } from "./script.ts";
import { MODEL } from "./settings.ts";
import { keyOf, onlyWith, standInOf } from "./stand-in.ts";

/**
 * Each row is a conversation: the role of each message, and the index of the message up to which an Anthropic provider must be asked to
 * cache the conversation. Null means that no message is to be cached.
 */
const CONVERSATIONS: [roles: ("user" | "assistant")[], cached: number | null][] = [
  [["user"], null],
  [["user", "user"], null],
  [["user", "assistant"], null],
  [["assistant", "user"], 0],
  [["user", "assistant", "user"], 1],
  [["user", "assistant", "user", "user"], 1],
  [["user", "assistant", "assistant", "user"], 2],
  [["user", "assistant", "user", "assistant"], 1],
  [["user", "assistant", "user", "assistant", "user"], 3],
];

const TEXT = 'Zoë 👩‍🚀 "quotes" \\ </script> \u2028 \0 \ud800 data: {}\n\n: end';

/**
 * Tests the prompt that the provider receives for a chat: its texts, their order, and up to which text it is to be cached. Also tests that
 * the headers of the page's request do not reach the provider.
 */
export function prompts(target: Target): void {
  const { wire } = standInOf(target);
  describe("prompts", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await chatRoom(target);
    });

    for (const [roles, cached] of CONVERSATIONS) {
      const where = wire === "openai" || cached === null ? "no message" : `message ${cached}`;
      for (const system of [undefined, "Be brief."]) {
        it(`${roles.join(", ")}${system ? " and a system prompt" : ""}: all texts in order, cached up to ${where}`, async () => {
          const mark = freshMark();
          const newest = roles.lastIndexOf("user");
          const messages = roles.map((role, index) => ({
            role,
            content: index === newest ? play([{ end: {} }], mark) : `${role} ${index}`,
          }));
          doneOf(await ask(canvas.pages.viewer, { model: MODEL, messages, system }));
          const received = await onlyWith(target, mark);
          const breakpoints = wire === "anthropic";
          assert.deepEqual(promptOf(received, standInOf(target)).texts, [
            ...(system ? [["system", system, breakpoints]] : []),
            ...messages.map(({ role, content }, index) => [role, content, breakpoints && index === cached]),
          ]);
          if (!breakpoints) assert.doesNotMatch(JSON.stringify(received.body), /cache/);
        });
      }
    }

    it("any text reaches the provider as it is", async () => {
      const mark = freshMark();
      const messages = [
        { role: "user", content: TEXT },
        { role: "assistant", content: TEXT },
        { role: "user", content: play([{ end: {} }], mark) },
      ];
      doneOf(await ask(canvas.pages.viewer, { model: MODEL, messages, system: TEXT }));
      const { texts } = promptOf(await onlyWith(target, mark), standInOf(target));
      assert.deepEqual(
        texts.slice(0, 3).map(([role, text]) => [role, text]),
        [
          ["system", TEXT],
          ["user", TEXT],
          ["assistant", TEXT],
        ],
      );
    });

    it("empty texts are accepted", async () => {
      const mark = freshMark();
      const messages = [
        { role: "user", content: "" },
        { role: "assistant", content: "" },
        { role: "user", content: play([{ text: "Hi" }, { end: {} }], mark) },
      ];
      const answer = await ask(canvas.pages.viewer, { model: MODEL, messages, system: "" });
      assert.equal(doneOf(answer).text, "Hi");
      await onlyWith(target, mark);
    });

    it(`the request is a streaming one of ${wire}, and its key is in no response`, async () => {
      const mark = freshMark();
      const answer = await ask(canvas.pages.viewer, chatOf([{ text: "Hi" }, { end: {} }], mark));
      const received = await onlyWith(target, mark);
      const { path, body } = received;
      assert.equal(path, wire === "anthropic" ? "/v1/messages" : "/v1/chat/completions");
      assert.equal(body.stream, true);
      const key = keyOf(received, standInOf(target));
      const { owner } = canvas.pages;
      const echo = await ask(canvas.pages.viewer, chatOf([{ status: 401, body: key }]));
      for (const { headers, text } of [answer, echo, await owner.get("/me"), await owner.get("/ai/chat")])
        assert.ok(!JSON.stringify([headers, text]).includes(key));
    });

    it("nothing that the page's request has besides its prompt reaches the provider", async () => {
      const mark = freshMark();
      const { viewer } = canvas.pages;
      const headers: [string, string][] = [
        ["X-Api-Key", "the page's"],
        ["X-Spy", "the page's"],
      ];
      doneOf(await ask(viewer, chatOf([{ end: {} }], mark), headers));
      const received = JSON.stringify(await onlyWith(target, mark));
      assert.doesNotMatch(received, /the page's|"cookie"|"referer"|"origin"/);
      assert.ok(!received.includes(canvas.slug) && !received.includes(canvas.people.viewer.email));
    });
  });
}
