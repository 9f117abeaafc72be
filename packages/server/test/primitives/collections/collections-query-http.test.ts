import assert from "node:assert/strict";
import { before, it } from "node:test";
import { codePoint } from "@easel/conformance/code-point";
import { type Entry, entryOf } from "@easel/conformance/collections/entry";
import type { Stage } from "@easel/conformance/fixture";
import { collecting } from "@easel/conformance/policy";
import { refused } from "@easel/conformance/refusal";
import fc from "fast-check";
import { onSqlite } from "../../support/engines.ts";

await onSqlite("lists as they are asked for", (target) => {
  let canvas: Stage;
  let made: Entry[];
  before(async () => {
    canvas = await collecting(target, {
      board: { preset: "contributions" },
      box: { preset: "submissions" },
      shut: { preset: "contributions", overrides: { read: "none" } },
    });
    made = [];
    for (const [index, role] of (["owner", "viewer", "stranger", "viewer"] as const).entries()) {
      for (const name of ["board", "box"]) {
        const page = canvas.pages[role];
        const entry = entryOf(await page.post(`/collections/${name}`, { n: index, t: `t${index}` }), 201);
        if (name === "board") made.push(entry);
      }
    }
  });
  const get = (query: string, name = "board", role: "owner" | "viewer" | "stranger" = "viewer") =>
    canvas.pages[role].get(`/collections/${name}?${query}`);
  const where = (filter: unknown) => `where=${encodeURIComponent(JSON.stringify(filter))}`;
  const numbers = async (query: string, name?: string, role?: "owner" | "viewer" | "stranger") => {
    const answer = await get(query, name, role);
    assert.equal(answer.status, 200, answer.text);
    return (answer.json.entries as Entry[]).map(({ value: each }) => (each as { n: number }).n);
  };

  it("a list with filter, order and pages", async () => {
    assert.deepEqual(await numbers(`${where({ "value.n": { gte: 1 } })}&orderBy=-value.n`), [3, 2, 1]);
    const first = await get(`${where({ "value.n": { gte: 1 } })}&orderBy=-value.n&limit=2`);
    const cursor = encodeURIComponent(String(first.json.nextCursor));
    assert.deepEqual(
      await numbers(`${where({ "value.n": { gte: 1 } })}&orderBy=-value.n&limit=2&cursor=${cursor}`),
      [1],
    );
    assert.deepEqual(
      await numbers(`${where({ "value.t": { startsWith: "t" }, "value.n": { lt: 2 } })}`),
      [0, 1],
    );
    assert.deepEqual(await numbers(where({ authorId: made[0]?.authorId })), [0]);
    for (const nobody of ["", "\u0000", "guest:nobody", "ö".repeat(100)])
      assert.deepEqual(await numbers(where({ authorId: nobody })), [], nobody);
    assert.deepEqual(await numbers(where({})), [0, 1, 2, 3]);
  });

  it("a filter finds no record that the caller may not read", async () => {
    const all = where({ "value.n": { gte: 0 } });
    assert.deepEqual(await numbers(all, "box", "owner"), [0, 1, 2, 3]);
    assert.deepEqual(await numbers(`${all}&orderBy=-value.n`, "box", "viewer"), [3, 1]);
    assert.deepEqual(await numbers(`${all}&limit=1`, "box", "stranger"), [2]);
    const others = where({ authorId: made[0]?.authorId });
    assert.deepEqual(await numbers(others, "box", "viewer"), []);
    refused(await get(others, "shut"), 403, "PERMISSION_DENIED");
  });

  const WRONG: [what: string, query: string, says: RegExp][] = [
    ...(
      [
        ["no JSON", "{", /`where`/],
        ["nothing but a space", "%20", /`where`/],
        ["a bare word", "open", /`where`/],
        ["a list", "[]", /`where`/],
        ["a number", "1", /`where`/],
        ["null", "null", /`where`/],
        ["a text", '""', /`where`/],
        ["too deep", `${"[".repeat(4_000)}`, /`where`/],
        ["too long", JSON.stringify({ "value.a": "a".repeat(4_100) }), /`where`/],
        ["a field of nothing", '{"a":1}', /field/],
        ["a field without a name", '{"value.":1}', /field/],
        ["the value itself", '{"value":1}', /field/],
        ["the id", '{"id":"a"}', /field/],
        ["a time", '{"updatedAt":1}', /field/],
        ["capitals", '{"Value.a":1}', /field/],
        ["the prototype", '{"__proto__":1}', /field/],
        ["a field of an object's own", '{"constructor":1}', /field/],
        ["a name of 257 bytes", JSON.stringify({ [`value.${"n".repeat(257)}`]: 1 }), /field/],
        ["a name with half a pair", '{"value.\\ud800":1}', /field/],
        ["an unknown comparison", '{"value.a":{"ne":1}}', /comparison/],
        ["a comparison of an object's own", '{"value.a":{"toString":1}}', /comparison/],
        ["the prototype as a comparison", '{"value.a":{"__proto__":1}}', /comparison/],
        ["a list to compare with", '{"value.a":[1]}', /compared/],
        ["a list in a comparison", '{"value.a":{"eq":[1]}}', /compared/],
        ["an object in a comparison", '{"value.a":{"eq":{}}}', /compared/],
        ["a text of 256 bytes", JSON.stringify({ "value.a": "a".repeat(256) }), /text/],
        ["a text of 256 bytes in 128 characters", JSON.stringify({ "value.a": "é".repeat(128) }), /text/],
        ["a number as a prefix", '{"value.a":{"startsWith":1}}', /startsWith/],
        ["null as a prefix", '{"value.a":{"startsWith":null}}', /startsWith/],
        ["no comparison", '{"value.a":{}}', /comparison/],
        ["four comparisons", '{"value.a":1,"value.b":1,"value.c":1,"value.d":1}', /comparisons/],
        ["four comparisons of one field", '{"value.a":{"gt":1,"gte":1,"lt":1,"lte":1}}', /comparisons/],
      ] as const
    ).map(([what, text, says]): [string, string, RegExp] => [
      `where: ${what}`,
      `where=${text === "%20" ? text : encodeURIComponent(text)}`,
      says,
    ]),
    ["where twice", "where=%7B%7D&where=%7B%7D", /`where`/],
    ["where that is not UTF-8", "where=%ff", /`where`/],
    ...(
      [
        ["id", /orderBy/],
        ["authorId", /orderBy/],
        ["value", /orderBy/],
        ["value.", /orderBy/],
        ["-", /orderBy/],
        ["--createdAt", /orderBy/],
        ["CreatedAt", /orderBy/],
        ["createdAt,updatedAt", /orderBy/],
        ["createdAt%20desc", /orderBy/],
        ["+createdAt", /orderBy/],
        ["constructor", /orderBy/],
        ["__proto__", /orderBy/],
        ["createdAt;drop%20table%20records", /orderBy/],
        [`value.${"n".repeat(257)}`, /field/],
      ] as const
    ).map(([given, says]): [string, string, RegExp] => [
      `orderBy: ${given.slice(0, 30)}`,
      `orderBy=${given}`,
      says,
    ]),
    ["orderBy twice", "orderBy=createdAt&orderBy=createdAt", /`orderBy`/],
    ...[
      "orderBy=updatedAt&cursor=0",
      "orderBy=updatedAt&cursor=.0",
      "orderBy=updatedAt&cursor=1.",
      "orderBy=updatedAt&cursor=a.0",
      "orderBy=updatedAt&cursor=-1.0",
      "orderBy=updatedAt&cursor=1e3.0",
      "orderBy=updatedAt&cursor=1.5.0",
      "orderBy=updatedAt&cursor=99999999999999999.0",
      "orderBy=updatedAt&cursor=1.%ff",
      "orderBy=updatedAt&cursor=1.0.0",
      "orderBy=value.n&cursor=0",
      "orderBy=value.n&cursor=.0",
      "orderBy=value.n&cursor=Ag.",
      "orderBy=value.n&cursor=A*.0",
      "orderBy=value.n&cursor=Ag==.0",
      `orderBy=value.n&cursor=${"A".repeat(1_000)}.0`,
      "orderBy=createdAt&cursor=1.0",
    ].map((query): [string, string, RegExp] => [query.slice(0, 50), query, /`cursor`/]),
  ];
  for (const [what, query, says] of WRONG) {
    it(`${what}: 400 INVALID_BODY with a message`, async () => {
      const answer = await get(query);
      refused(answer, 400, "INVALID_BODY");
      assert.match(String(answer.json.message), says);
      assert.ok(String(answer.json.message).length < 300);
    });
  }

  it("empty parameters are ignored", async () => {
    assert.deepEqual(await numbers("where=&orderBy=&cursor="), [0, 1, 2, 3]);
  });

  it("a cursor of another list is a position or 400, never a 5xx", async () => {
    const cursors = [];
    for (const orderBy of ["createdAt", "-updatedAt", "value.n", "-value.t"]) {
      const { nextCursor } = (await get(`orderBy=${orderBy}&limit=1`)).json;
      assert.equal(typeof nextCursor, "string");
      cursors.push(encodeURIComponent(String(nextCursor)));
    }
    cursors.push("0", "f", "0.0", "9999999999999999.0", "AA.0", "____.0", `${"A".repeat(400)}.0`);
    for (const orderBy of ["createdAt", "-createdAt", "updatedAt", "-updatedAt", "value.n", "-value.t"]) {
      for (const cursor of cursors) {
        const answer = await get(`orderBy=${orderBy}&cursor=${cursor}`);
        if (answer.status !== 200) refused(answer, 400, "INVALID_BODY");
      }
    }
  });

  it("any text as any parameter: 200 or 400", async () => {
    const hostile = fc.oneof(
      fc.string({ unit: codePoint, maxLength: 40 }),
      fc.jsonValue({ maxDepth: 3 }).map((each) => JSON.stringify(each)),
      fc
        .dictionary(fc.constantFrom("authorId", "value.n", "value.t", "__proto__"), fc.jsonValue())
        .map((each) => JSON.stringify(each)),
      fc.stringMatching(/^-?(createdAt|updatedAt|value\.[a-z'"\\;%_-]{0,6})$/),
      fc.stringMatching(/^[A-Za-z0-9_-]{0,12}\.?[0-9a-f-]{0,12}$/),
    );
    const parameters = fc.record({ where: hostile, orderBy: hostile, cursor: hostile }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(parameters, async (given) => {
        const query = Object.entries(given).map(
          ([name, each]) => `${name}=${encodeURIComponent(each.toWellFormed())}`,
        );
        const answer = await get(query.join("&"));
        if (answer.status !== 200) refused(answer, 400, "INVALID_BODY");
      }),
      { numRuns: 200 },
    );
  });
});
