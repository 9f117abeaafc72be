import assert from "node:assert/strict";
import { test } from "node:test";
import { allowedOf, placesOf, rightsOf } from "./words.ts";

const tool = { scope: "full", canvas: null, ownOnly: false, confirms: true } as const;
const plain = (text: string) => text.replace(/[\u2068\u2069]/g, "");

test("the rights of a tool are told in a sentence", () => {
  assert.equal(rightsOf(tool), "Everything: every canvas. Asks before it opens a canvas to more people.");
  assert.match(rightsOf({ ...tool, confirms: false }), /Does not ask before it opens/);
  assert.equal(
    rightsOf({ ...tool, scope: "deploy", ownOnly: true }),
    "Make and change: only canvases that it makes itself.",
  );
  const canvas = { id: "c", title: "مخ», everything", slug: "c" };
  const text = rightsOf({ ...tool, scope: "read", canvas });
  assert.equal(plain(text), "Look: only the canvas “مخ», everything”.");
  assert.notEqual(text, plain(text), "a title in right-to-left letters does not reorder the sentence");
  assert.equal(
    rightsOf({ ...tool, scope: "read", canvas: { ...canvas, title: null } }),
    "Look: only one canvas, which is deleted or no longer shared.",
  );
});

test("the places of a tool are those that the consent has told", () => {
  const client = { name: "x", host: "claude.ai", verified: true };
  const of = (...given: Parameters<typeof placesOf>) => plain(placesOf(...given));
  assert.equal(of({ client, redirectHost: "127.0.0.1" }), "Described at claude.ai, returned to 127.0.0.1");
  assert.equal(of({ client: { ...client, host: null }, redirectHost: "localhost" }), "Returned to localhost");
  assert.equal(of({ client: { ...client, host: null }, redirectHost: null }), "");
});

test("the setting for programs is told in words, whatever it is", () => {
  const of = (setting: string) => plain(allowedOf(setting));
  assert.equal(of('["claude.ai","vscode.dev"]'), "Only at claude.ai and vscode.dev");
  const own = '{"clientId":"notes","name":"Notes","redirectUris":[]}';
  assert.equal(of(`["claude.ai",${own}]`), "Only at claude.ai, besides Notes of this service");
  assert.equal(of(`[${own}]`), "At any host, besides Notes of this service");
  for (const setting of ["", "documents of every host", "[]", "{}", "[null,1,{}]", "null"])
    assert.equal(of(setting), "At any host", setting);
});
