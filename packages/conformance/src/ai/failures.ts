import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Stage } from "../fixture.ts";
import type { Answer } from "../http.ts";
import type { Target } from "../target.ts";
import { askFor, chatRoom, freshMark, textBeforeError } from "./chat.ts";
import type { Step } from "./script.ts";
import { keyOf, onlyWith, standInOf } from "./stand-in.ts";

const SECRET = "a secret of the provider";
const STATUSES = [400, 401, 402, 403, 404, 408, 413, 418, 429, 500, 503, 529];

/**
 * Responses of the stand-in provider that fail. `steps` is the script that the provider runs, and `text` is the text that the page must
 * receive before the `error` event.
 */
const FAILURES: [name: string, text: string, steps: Step[]][] = [
  ["an error event first", "", [{ error: SECRET }]],
  ["an error event after text", "Hi", [{ text: "Hi" }, { error: SECRET }]],
  ["an error event, and then the end", "Hi", [{ text: "Hi" }, { error: SECRET }, { end: {} }]],
  ["an event that is no JSON", "Hi", [{ text: "Hi" }, { raw: `data: {${SECRET}\n\n` }]],
  ["an event of another shape", "Hi", [{ text: "Hi" }, { raw: 'data: {"type":5,"choices":"none"}\n\n' }]],
  ["a page instead of events", "", [{ raw: `<html>${SECRET}</html>` }]],
  ["bytes that are no text", "Hi", [{ text: "Hi" }, { raw: "data: \0\u{10ffff}\n\n" }]],
  ["a connection that breaks at once", "", [{ cut: true }]],
  ["a connection that breaks after text", "Hi", [{ text: "Hi" }, { cut: true }]],
  [
    "a connection that breaks within an event",
    "Hi",
    [{ text: "Hi" }, { raw: 'data: {"type":' }, { cut: true }],
  ],
  ["an end without a finish", "Hi", [{ text: "Hi" }]],
  ["an empty response", "", []],
  ["JSON instead of events", "", [{ status: 200, body: `{"message":"${SECRET}"}` }]],
  ["HTML instead of JSON", "", [{ status: 502, body: `<h1>${SECRET}</h1>` }]],
];

/**
 * Tests that the page receives exactly one `error` event when the AI provider fails, and that the service sends the request to the provider
 * only once.
 */
export function failures(target: Target): void {
  describe("failures of the provider", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await chatRoom(target);
    });
    /**
     * Asserts that a response contains neither the error text of the provider, nor its address, nor the service's key for it. In the text
     * of the response, the strings in `more` must not occur either. `mark` identifies the request in the log of the provider.
     */
    const leaksNothing = async (answer: Answer, mark: string, ...more: string[]) => {
      const standIn = standInOf(target);
      const key = keyOf(await onlyWith(target, mark), standIn);
      const { host } = new URL(standIn.url);
      for (const secret of [SECRET, key, host])
        assert.ok(!JSON.stringify([answer.headers, answer.text]).includes(secret), secret);
      // Short texts could be a part of the request id, which is a header.
      for (const secret of ["ECONN", ...more]) assert.ok(!answer.text.includes(secret), secret);
    };

    for (const status of STATUSES) {
      it(`${status}: one error event`, async () => {
        const mark = freshMark();
        const step = { status, headers: { "retry-after": "0", "x-spy": SECRET } };
        const answer = await askFor(canvas.pages.viewer, [step], mark);
        assert.equal(textBeforeError(answer), "");
        await leaksNothing(answer, mark, String(status));
      });
    }

    for (const [name, text, steps] of FAILURES) {
      it(`${name}: ${text === "" ? "" : "the text before it, then "}one error event`, async () => {
        const mark = freshMark();
        const answer = await askFor(canvas.pages.viewer, steps, mark);
        assert.equal(textBeforeError(answer), text);
        await leaksNothing(answer, mark, "<h", "JSON", "overloaded");
      });
    }

    for (const status of [301, 302, 303, 307, 308]) {
      it(`a redirect by ${status} is not followed: one error event`, async () => {
        const mark = freshMark();
        const location = `${standInOf(target).url}/v1/elsewhere`;
        const answer = await askFor(canvas.pages.viewer, [{ status, headers: { location } }], mark);
        assert.equal(textBeforeError(answer), "");
        await leaksNothing(answer, mark, "elsewhere");
      });
    }
  });
}

/** Tests a service whose provider refuses every connection. */
export function unreachable(target: Target): void {
  describe("a provider that refuses connections", () => {
    it("one error event for each request, and the service goes on", async () => {
      const { pages } = await chatRoom(target);
      for (let turn = 0; turn < 2; turn++) {
        const answer = await askFor(pages.viewer, [{ text: "Hi" }, { end: {} }]);
        assert.equal(textBeforeError(answer), "");
        assert.doesNotMatch(JSON.stringify([answer.headers, answer.text]), /ECONN|127\.0\.0\.1|refused/i);
      }
    });
  });
}
