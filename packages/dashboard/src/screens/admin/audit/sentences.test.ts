import assert from "node:assert/strict";
import { test } from "node:test";
import { KNOWN_ACTS, sentenceOf } from "./sentences.ts";

const told: [entry: Parameters<typeof sentenceOf>[0], words: string][] = [
  [
    { act: "user.update", target: "u-1", details: { email: "bo@acme.test", deactivated: true } },
    "deactivated bo@acme.test",
  ],
  [
    {
      act: "user.update",
      target: "u-1",
      details: { email: "bo@acme.test", canPublishPublic: false, quotas: {} },
    },
    "forbade public links of and changed the quotas of bo@acme.test",
  ],
  [
    {
      act: "user.handover",
      target: "u-1",
      details: { from: "bo@acme.test", to: "cy@acme.test", moved: 3, left: 1, deactivated: false },
    },
    "handed 3 things of bo@acme.test to cy@acme.test, 1 thing could not be moved",
  ],
  [{ act: "canvas.disable", target: null, details: { reason: "Why not." } }, "disabled a canvas: Why not."],
  [{ act: "canvas.disable", target: null, details: { reason: null } }, "disabled a canvas"],
  [
    { act: "canvas.share", target: null, details: { access: "private", people: [] } },
    "changed the sharing of a canvas: access and people",
  ],
  [{ act: "org.put", target: "acme", details: { before: null, after: {} } }, "made the organisation acme"],
  [{ act: "org.put", target: "acme", details: { before: {}, after: {} } }, "changed the organisation acme"],
  [
    { act: "connection.test", target: "tickets", details: { status: null, code: "UPSTREAM_TIMEOUT" } },
    "tried the Connection tickets: UPSTREAM_TIMEOUT",
  ],
  [
    { act: "user.sign-out", target: "u", details: { email: "bo@acme.test", tokens: false } },
    "signed out bo@acme.test",
  ],
  [
    { act: "token.create", target: "t", details: { name: "Editor", audience: "mcp" } },
    "made the access token “Editor” for AI tools",
  ],
  [
    { act: "token.create", target: "t", details: { name: "CI", audience: "api", email: "bo@acme.test" } },
    "made the access token “CI” of bo@acme.test",
  ],
  [
    { act: "app.create", target: "a", details: { client: "Editor", scope: "deploy" } },
    "connected the tool “Editor”",
  ],
  [
    { act: "app.end", target: "a", details: { client: "Editor", reason: "refresh token used twice" } },
    "lost the connected tool “Editor”: refresh token used twice",
  ],
  [
    { act: "user.end-apps", target: "u", details: { email: "bo@acme.test", ended: 2 } },
    "ended 2 connected tools of bo@acme.test",
  ],
  [
    { act: "app.end-client", target: "https://x.test/", details: { ended: 1 } },
    "ended 1 connected tool of one program",
  ],
  [{ act: "later.act", target: null, details: null }, "did later.act"],
  [{ act: "constructor", target: null, details: null }, "did constructor"],
];
for (const [entry, words] of told)
  test(`${entry.act} is told`, () => {
    assert.equal(sentenceOf(entry), words);
  });

test("every act is told whatever its details are", () => {
  const odd = [null, [], {}, "text", 5, { email: 5, from: {}, moved: "x", before: 1, reason: [] }];
  for (const act of KNOWN_ACTS)
    for (const details of odd)
      for (const target of [null, "t"]) {
        const words = sentenceOf({ act, target, details: details as never });
        assert.match(words, /^[a-z]/, act);
        assert.doesNotMatch(words, /undefined|null|\[object/, `${act}: ${words}`);
      }
});
