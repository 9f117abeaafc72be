import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Stage, stage } from "../fixture.ts";
import { flood } from "../flood.ts";
import type { Header } from "../http.ts";
import { pageHeaders } from "../page.ts";
import { plain, refused } from "../refusal.ts";
import type { Target } from "../target.ts";
import { ask, chatOf, doneOf, freshMark, MAX_BODY_BYTES } from "./chat.ts";
import { promptOf } from "./prompt.ts";
import { play } from "./script.ts";
import { MODEL, OTHER_MODEL, UNLISTED_MODEL, UNPRICED_MODEL } from "./settings.ts";
import { nothingWith, onlyWith, standInOf } from "./stand-in.ts";

const MAX_TOKENS = 8192;
const DEFAULT_TOKENS = 1024;

/**
 * Each row has a name for the test, the field `maxTokens` of the chat request, and the field `max_tokens` of the request that the provider
 * must receive.
 */
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

/**
 * Returns the body of a chat request that is exactly `bytes` bytes long. Most characters are `é`, which takes two bytes in UTF-8. `mark` is
 * a text by which a test finds the request in the log of the stand-in provider.
 */
function sized(bytes: number, mark: string): string {
  const bodyWith = (system: string) => JSON.stringify(chatOf([{ end: {} }], mark, { system }));
  const room = bytes - Buffer.byteLength(bodyWith(""));
  return bodyWith("é".repeat(Math.floor(room / 2)) + "a".repeat(room % 2));
}

/** Tests which models a chat request may name, its `maxTokens`, its unknown fields, and the maximum size of its body. */
export function requests(target: Target): void {
  describe("requests", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await stage(target);
    });
    for (const [name, model] of FORBIDDEN) {
      it(`a model that is ${name}: 403 MODEL_NOT_ALLOWED`, async () => {
        const mark = freshMark();
        const answer = await ask(canvas.pages.owner, chatOf([{ end: {} }], mark, { model }));
        refused(answer, 403, "MODEL_NOT_ALLOWED");
        plain(answer);
        await nothingWith(target, mark);
      });
    }

    it("each model on the allowlist is asked by its name", async () => {
      for (const model of [MODEL, OTHER_MODEL]) {
        const mark = freshMark();
        doneOf(await ask(canvas.pages.owner, chatOf([{ end: {} }], mark, { model })));
        assert.equal((await onlyWith(target, mark)).body.model, model);
      }
    });

    for (const [name, maxTokens, received] of OUTPUTS) {
      it(`maxTokens ${name}: the provider is asked for ${received}`, async () => {
        const mark = freshMark();
        doneOf(await ask(canvas.pages.owner, chatOf([{ end: {} }], mark, { maxTokens })));
        assert.equal(promptOf(await onlyWith(target, mark), standInOf(target)).maxTokens, received);
      });
    }

    it("unknown fields are ignored, and do not reach the provider", async () => {
      const mark = freshMark();
      const more = { temperature: 2, stream: false, tools: [{ name: "spy" }], metadata: { user: "spy" } };
      const message = { role: "user", content: play([{ text: "Hi" }, { end: {} }], mark), name: "spy" };
      const sent = `{"__proto__":{"system":"spy"},${JSON.stringify(chatOf([], "", { ...more, messages: [message] })).slice(1)}`;
      assert.equal(doneOf(await ask(canvas.pages.owner, sent)).text, "Hi");
      const received = await onlyWith(target, mark);
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
      const mark = freshMark();
      const sent = sized(MAX_BODY_BYTES, mark);
      assert.equal(Buffer.byteLength(sent), MAX_BODY_BYTES);
      doneOf(await ask(canvas.pages.owner, sent));
      await onlyWith(target, mark);
    });

    it("one byte more: 413 BODY_TOO_LARGE, announced or not, before the end of the body", async () => {
      const mark = freshMark();
      const answer = await ask(canvas.pages.owner, sized(MAX_BODY_BYTES + 1, mark));
      refused(answer, 413, "BODY_TOO_LARGE");
      plain(answer);
      const { slug, people } = canvas;
      const headers = [...people.owner.headers, ...pageHeaders(target, slug)];
      const request = { method: "POST", path: `/v1/c/${slug}/ai/chat`, headers };
      for (const part of [
        { announced: MAX_BODY_BYTES + 1, sent: 0 },
        { announced: null, sent: MAX_BODY_BYTES + 1 },
      ])
        refused(await flood(target.base, request, part), 413, "BODY_TOO_LARGE");
      await nothingWith(target, mark);
    });
  });
}
