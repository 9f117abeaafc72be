import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { type Header, send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { JSON_TYPE } from "../support/client.ts";
import { onSqlite } from "../support/engines.ts";

const KIB = 1024;
const LARGE = "a".repeat(300 * KIB);
const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

/** Bodies that every route refuses. */
const BODIES: [name: string, body: string | Buffer][] = [
  ["nothing", ""],
  ["spaces", "  "],
  ["half an object", '{"title":'],
  ["two objects", "{}{}"],
  ["a trailing comma", '{"title":"a",}'],
  ["a comment", '{"title":"a"} // comment'],
  ["single quotes", "{'title':'a'}"],
  ["NaN", '{"title":NaN}'],
  ["null", "null"],
  ["true", "true"],
  ["a number", "1e999"],
  ["a number past all numbers", '{"title":"a","x":1e999}'],
  ["text", '"title"'],
  ["a list", "[]"],
  ["1,001 levels", deep(1001)],
  ["100,000 levels", deep(100_000)],
  ["100,000 levels without an end", "[".repeat(100_000)],
  ["a byte-order mark", "\ufeff{}"],
  ["invalid UTF-8", Buffer.from('{"title":"\xff"}', "latin1")],
  ["an overlong encoding", Buffer.from('{"title":"\xc0\xaf"}', "latin1")],
  ["half a surrogate in UTF-8", Buffer.from('{"title":"\xed\xa0\x80"}', "latin1")],
  ["UTF-16", Buffer.from('{"title":"a"}', "utf16le")],
  ["a NUL between", '{"title":\0"a"}'],
  ["the names that objects have", '{"__proto__":{"title":"a"},"constructor":{"prototype":{}},"toString":1}'],
  ["a form", "title=a"],
];

await onSqlite("bodies of the management API", (target) => {
  let site: Stage;
  let routes: [method: string, path: string][];
  before(async () => {
    site = await stage(target);
    routes = [
      ["POST", "/api/canvases"],
      ["PUT", `/api/canvases/${site.id}/sharing`],
      ["PATCH", `/api/canvases/${site.id}/capabilities`],
    ];
  });
  const push = ([method, path]: [string, string], body: string | Buffer, type: Header[] = [JSON_TYPE]) =>
    send(target.base, { method, path, headers: [...site.people.owner.headers, ...type], body });
  const state = async () => (await manage(target, site.people.owner, "GET", "/api/canvases")).json;

  for (const [name, body] of BODIES) {
    it(`${name}: 400 INVALID_BODY on every route, and nothing changes`, async () => {
      const previous = await state();
      for (const route of routes) refused(await push(route, body), 400, "INVALID_BODY");
      assert.deepEqual(await state(), previous);
    });
  }

  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=a",
    "text/json",
    "application/jsonx",
    "?",
  ]) {
    it(`${type}: 400 INVALID_BODY`, async () => {
      for (const route of routes)
        refused(await push(route, "{}", [["Content-Type", type]]), 400, "INVALID_BODY");
    });
  }

  it("no content type: 400 INVALID_BODY", async () => {
    for (const route of routes) refused(await push(route, "{}", []), 400, "INVALID_BODY");
  });

  it("application/json in any letter case and with a charset is accepted", async () => {
    for (const type of ["application/json; charset=utf-8", "APPLICATION/JSON", "application/json ;a=b"]) {
      const { status } = await push(routes[2] as [string, string], "{}", [["Content-Type", type]]);
      assert.equal(status, 200, type);
    }
  });

  it("over 256 KiB: 413 BODY_TOO_LARGE with Content-Length or in chunks; exactly 256 KiB is read", async () => {
    const large = `"${"a".repeat(256 * KIB)}"`;
    for (const route of routes) {
      refused(await push(route, large), 413, "BODY_TOO_LARGE");
      refused(await push(route, large, [JSON_TYPE, ["Transfer-Encoding", "chunked"]]), 413, "BODY_TOO_LARGE");
      refused(await push(route, large.slice(3)), 400, "INVALID_BODY");
    }
    const padded = `{${" ".repeat(256 * KIB - 2)}}`;
    assert.equal((await push(routes[2] as [string, string], padded)).status, 200);
  });

  it("a viewer gets 403 PERMISSION_DENIED whatever the body is", async () => {
    for (const [method, path] of routes.slice(1)) {
      for (const body of ["{", LARGE, '{"access":"whole_org"}']) {
        const viewer = [...site.people.viewer.headers, JSON_TYPE];
        refused(await send(target.base, { method, path, headers: viewer, body }), 403, "PERMISSION_DENIED");
      }
    }
  });

  it("an unauthenticated caller gets 401 whatever the content type is", async () => {
    for (const [method, path] of routes) {
      const headers: Header[] = [["Content-Type", "?"]];
      assert.equal((await send(target.base, { method, path, headers, body: "{}" })).status, 401);
    }
  });

  it("a repeated field: the last one counts", async () => {
    const answer = await push(routes[2] as [string, string], '{"kv":true,"kv":false}');
    assert.deepEqual([answer.status, (answer.json.capabilities as { kv: boolean }).kv], [200, false]);
  });
});
