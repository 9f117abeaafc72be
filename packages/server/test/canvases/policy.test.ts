import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Cast, cast, manage, type Stage, stage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import { AUDIENCES, PRESETS as PRESET_TABLE, RIGHTS as RIGHT_TABLE } from "@easel/protocol/policy";
import fc from "fast-check";
import { policyOf } from "../../src/canvases/policy.ts";
import { policy } from "../../src/canvases/publishing/canvas-schemas.ts";
import type { Db } from "../../src/drivers/db/db.ts";
import { changedDb } from "../support/changed-db.ts";
import { onSqlite } from "../support/engines.ts";

const PRESETS = Object.keys(PRESET_TABLE);
const RIGHTS = Object.keys(RIGHT_TABLE);

const CHANNEL = {
  subscribe: "viewers",
  publish: "editors",
  seePresence: "none",
  participatePresence: "viewers",
};
const ENTRIES = {
  collections: { preset: "personal" },
  fileGroups: { preset: "personal" },
  channels: CHANNEL,
  connections: { audience: "viewers" },
};
const KINDS = Object.keys(ENTRIES) as (keyof typeof ENTRIES)[];
const OBJECTS_OWN = [...Object.getOwnPropertyNames(Object.prototype), "prototype"];

const passes = (document: unknown) => policy.safeParse(document).success;
/** Returns an object with one property. It is parsed from JSON so that `__proto__` is an own property, as in a request body. */
const named = (name: string, entry: unknown) =>
  JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(entry)}}`);
const collection = (more: object) => ({ collections: { notes: { preset: "personal", ...more } } });
const group = (more: object) => ({ fileGroups: { notes: { preset: "personal", ...more } } });
const connection = (methods: unknown) => ({ connections: { weather: { audience: "editors", methods } } });

/** Valid policy documents. */
const RIGHT: [name: string, document: object][] = [
  ["nothing", {}],
  ["every kind, empty", { collections: {}, fileGroups: {}, channels: {}, connections: {} }],
  ...["read_only", "participation", "collaboration"].map((defaultMode): [string, object] => [
    `the default mode ${defaultMode}`,
    { defaultMode },
  ]),
  ...PRESETS.flatMap((preset): [string, object][] => [
    [`a collection that is ${preset}`, collection({ preset })],
    [`a file group that is ${preset}`, group({ preset })],
  ]),
  ...RIGHTS.flatMap((right): [string, object][] =>
    ["read", "update", "delete"].flatMap((operation): [string, object][] => [
      [`${operation}: ${right} of a collection`, collection({ overrides: { [operation]: right } })],
      [`${operation}: ${right} of a file group`, group({ overrides: { [operation]: right } })],
    ]),
  ),
  ...RIGHTS.map((right): [string, object] => [
    `increment: ${right}`,
    collection({ overrides: { increment: right } }),
  ]),
  ...AUDIENCES.flatMap((audience): [string, object][] => [
    [`create: ${audience} of a collection`, collection({ overrides: { create: audience } })],
    [`create: ${audience} of a file group`, group({ overrides: { create: audience } })],
    [`counted by ${audience}`, collection({ aggregateCount: audience })],
    [`a channel of ${audience}`, { channels: { chat: { ...CHANNEL, publish: audience } } }],
  ]),
  ["no overrides", collection({ overrides: {} })],
  [
    "phases of a collection",
    collection({ phases: { "a.b": { read: "viewers", increment: "none" }, c: {} } }),
  ],
  ["phases of a file group", group({ phases: { revealed: { read: "viewers", create: "none" } } })],
  ...[
    ["authorId"],
    ["value.card"],
    ["authorId", "value.card"],
    ["value.a.b", "value. ", `value.${"n".repeat(80)}`],
  ].map((unique): [string, object] => [`records unique by ${unique}`.slice(0, 60), collection({ unique })]),
  ["no methods", connection([])],
  ["every method", connection(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])],
  ...["0", "a", "A.b:c_d-e", "9:9", "n".repeat(80), "participants:wall", "proto", "_proto_".slice(1)].map(
    (name): [string, object] => [
      `the name ${name.slice(0, 20)}`,
      Object.fromEntries(KINDS.map((kind) => [kind, named(name, ENTRIES[kind])])),
    ],
  ),
];

/** Invalid policy documents. */
const WRONG: [name: string, document: unknown][] = [
  ...[null, undefined, "", "participation", 1, true, [], [{}]].map((document): [string, unknown] => [
    `${JSON.stringify(document)} as a document`,
    document,
  ]),
  ["an unknown field", { version: 1 }],
  ["`__proto__` as a field", named("__proto__", {})],
  ["`constructor` as a field", { constructor: {} }],
  ...["", "READ_ONLY", "read-only", "none", "constructor", null, 1].map((mode): [string, unknown] => [
    `the default mode ${JSON.stringify(mode)}`,
    { defaultMode: mode },
  ]),
  ...KINDS.flatMap((kind): [string, unknown][] => [
    ...[null, [], "a", 1, true].map((value): [string, unknown] => [
      `${kind}: ${JSON.stringify(value)}`,
      { [kind]: value },
    ]),
    ...[null, [], "personal", 1, {}].map((value): [string, unknown] => [
      `${kind} with the entry ${JSON.stringify(value)}`,
      { [kind]: { a: value } },
    ]),
    [`${kind} with an unknown field`, { [kind]: { a: { ...ENTRIES[kind], more: 1 } } }],
    [`${kind} with \`__proto__\` in an entry`, { [kind]: { a: { ...ENTRIES[kind], ...named("x", 1) } } }],
    ...OBJECTS_OWN.map((name): [string, unknown] => [
      `${kind} with the name ${name}`,
      { [kind]: named(name, ENTRIES[kind]) },
    ]),
    ...[
      "",
      " a",
      "a ",
      ".a",
      "-a",
      "_a",
      ":a",
      "a/b",
      "a\\b",
      "a b",
      "a\0",
      "a\n",
      "é",
      "ａ",
      "a'",
      "n".repeat(81),
    ].map((name): [string, unknown] => [
      `${kind} with the name ${JSON.stringify(name.slice(0, 12))}`,
      { [kind]: named(name, ENTRIES[kind]) },
    ]),
  ]),
  ...["own", "own_and_editors", "everyone", "", null, true].flatMap((right): [string, unknown][] => [
    [`create: ${right}`, collection({ overrides: { create: right } })],
    [`create: ${right} of files`, group({ overrides: { create: right } })],
    [`counted by ${right}`, collection({ aggregateCount: right })],
    [`a channel of ${right}`, { channels: { chat: { ...CHANNEL, subscribe: right } } }],
  ]),
  ...["everyone", "Editors", "", null, true, ["editors"]].map((right): [string, unknown] => [
    `read: ${JSON.stringify(right)}`,
    collection({ overrides: { read: right } }),
  ]),
  ["an unknown operation", collection({ overrides: { list: "editors" } })],
  ["increment of files", group({ overrides: { increment: "editors" } })],
  ["overrides as a list", collection({ overrides: [] })],
  ["overrides as null", collection({ overrides: null })],
  ["a count of files", group({ aggregateCount: "editors" })],
  ...[collection, group].flatMap((entry, at): [string, unknown][] => [
    [`phases as a list ${at}`, entry({ phases: ["revealed"] })],
    [`a phase without rights ${at}`, entry({ phases: { revealed: null } })],
    [`a phase with an unknown right ${at}`, entry({ phases: { revealed: { read: "everyone" } } })],
    [`a phase with another field ${at}`, entry({ phases: { revealed: { preset: "managed" } } })],
    [`a phase named constructor ${at}`, entry({ phases: named("constructor", {}) })],
    [`a phase named __proto__ ${at}`, entry({ phases: named("__proto__", {}) })],
    [`a phase with an invalid name ${at}`, entry({ phases: { "a b": {} } })],
    [`nine phases ${at}`, entry({ phases: Object.fromEntries([..."abcdefghi"].map((name) => [name, {}])) })],
  ]),
  ["increment in a phase of files", group({ phases: { revealed: { increment: "editors" } } })],
  ["unique files", group({ unique: ["authorId"] })],
  ...[
    [],
    "authorId",
    null,
    ["value."],
    ["value"],
    ["card"],
    ["authorId "],
    ["updatedAt"],
    [["authorId"]],
    ["value.a", "value.a"],
    [`value.${"n".repeat(81)}`],
    ["value.\ud800"],
    ["value.a\nb"],
    ["value.a", "value.b", "value.c", "value.d", "value.e"],
  ].map((unique): [string, unknown] => [
    `unique: ${JSON.stringify(unique)}`.slice(0, 60),
    collection({ unique }),
  ]),
  ["a channel without a right", { channels: { chat: { ...CHANNEL, publish: undefined } } }],
  ["a connection for its authors", { connections: { weather: { audience: "own" } } }],
  ...[
    "GET",
    null,
    {},
    ["get"],
    ["TRACE"],
    ["CONNECT"],
    ["OPTIONS"],
    ["*"],
    [""],
    [null],
    Array(7).fill("GET"),
  ].map((methods): [string, unknown] => [
    `the methods ${JSON.stringify(methods).slice(0, 30)}`,
    connection(methods),
  ]),
];

describe("the policy document", () => {
  for (const [name, document] of RIGHT) {
    it(`${name}: valid, and parsed unchanged`, () => assert.deepEqual(policy.parse(document), document));
  }

  for (const [name, document] of WRONG) {
    it(`${name}: invalid`, () => assert.equal(passes(document), false));
  }

  for (const kind of KINDS) {
    it(`50 ${kind} are valid, 51 are not; each kind is counted separately`, () => {
      const entries = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, ENTRIES[kind]]));
      assert.equal(passes({ [kind]: entries(50) }), true);
      assert.equal(passes({ [kind]: entries(51) }), false);
      const all = Object.fromEntries(KINDS.map((each) => [each, each === kind ? entries(50) : {}]));
      assert.equal(passes(all), true);
    });
  }

  it("thousands of invalid names give one issue, that there are too many", () => {
    const names = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`_${index}`, 1]));
    for (const kind of KINDS) assert.equal(policy.safeParse({ [kind]: names }).error?.issues.length, 1, kind);
  });

  it("valid documents are parsed unchanged, and no input throws", () => {
    const scalar = fc.constantFrom(...PRESETS, ...RIGHTS, ...AUDIENCES, "GET", null, 1, true, "");
    const key = fc.constantFrom(
      ...KINDS,
      ...OBJECTS_OWN,
      "preset",
      "overrides",
      "create",
      "audience",
      "methods",
      "a",
      "b.c",
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 5 }, scalar, fc.array(tie("tree"), { maxLength: 3 }), tie("object")),
      object: fc.array(fc.tuple(key, tie("tree")), { maxLength: 4 }).map((entries) => {
        const text = entries
          .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
          .join();
        return JSON.parse(`{${text}}`);
      }),
    }));
    fc.assert(
      fc.property(tree, (document) => {
        const result = policy.safeParse(document);
        if (result.success) assert.deepEqual(result.data, document);
      }),
      { numRuns: 3000 },
    );
    assert.equal(({} as { preset?: string }).preset, undefined);
  });
});

await onSqlite("concurrent changes of capabilities", (target, env) => {
  let people: Cast;
  let site: Stage;
  before(async () => {
    people = await cast(target);
    site = await stage(target, { people });
  });
  const patch = (body: object, person = people.owner) =>
    manage(target, person, "PATCH", `/api/canvases/${site.id}/capabilities`, body);
  const documentOf = (name: string) => ({ collections: named(name, ENTRIES.collections) });
  const current = async () => {
    const { json } = await manage(target, people.owner, "GET", `/api/canvases/${site.id}`);
    return { policy: json.runtimePolicy, revision: json.runtimePolicyRevision };
  };

  it("concurrent documents with one expected revision: exactly one is saved, the others are 409", async () => {
    for (let rounds = 0; rounds < 5; rounds++) {
      const { revision } = await current();
      const names = Array.from({ length: 8 }, (_, index) => `round-${rounds}-${index}`);
      const answers = await Promise.all(
        names.map((name, index) =>
          patch(
            { expectedRuntimePolicy: revision, runtimePolicy: documentOf(name) },
            index % 2 === 0 ? people.owner : people.editor,
          ),
        ),
      );
      const won = answers.filter(({ status }) => status === 200);
      assert.equal(won.length, 1, answers.map(({ status }) => status).join());
      for (const answer of answers) if (answer.status !== 200) refused(answer, 409, "POLICY_CONFLICT");
      assert.deepEqual(await current(), {
        policy: won[0]?.json.runtimePolicy,
        revision: won[0]?.json.runtimePolicyRevision,
      });
      assert.ok(
        names.some((name) => JSON.stringify(documentOf(name)) === JSON.stringify(won[0]?.json.runtimePolicy)),
      );
    }
  });

  it("concurrent switches conflict with no document, and none is lost", async () => {
    const { revision } = await current();
    const off = { kv: false, files: false, ai: false, realtime: false };
    const answers = await Promise.all([
      ...Object.entries(off).map(([name, value]) => patch({ [name]: value })),
      patch({ expectedRuntimePolicy: revision, runtimePolicy: null, authoring: true }),
      patch({ aiAudience: "viewers" }, people.editor),
    ]);
    for (const { status, text } of answers) assert.equal(status, 200, text);
    const { json } = await manage(target, people.owner, "GET", `/api/canvases/${site.id}`);
    const { kv, files, ai, realtime, authoring, aiAudience } = json.capabilities as Record<string, unknown>;
    assert.deepEqual({ kv, files, ai, realtime }, off);
    assert.deepEqual([authoring, aiAudience, json.runtimePolicy], [true, "viewers", null]);
  });

  it("a cleared document has a revision: expecting none is 409", async () => {
    const { policy, revision } = await current();
    assert.equal(policy, null);
    assert.match(String(revision), /^[A-Za-z0-9-]{1,128}$/);
    refused(await patch({ expectedRuntimePolicy: null, runtimePolicy: {} }), 409, "POLICY_CONFLICT");
    assert.equal((await patch({ expectedRuntimePolicy: revision, runtimePolicy: {} })).status, 200);
  });

  it("a cleared document is cached like any other", async () => {
    const { revision } = await current();
    await patch({ expectedRuntimePolicy: revision, runtimePolicy: null });
    const policyRevision = String((await current()).revision);
    let reads = 0;
    const get: Db["get"] = (...statement) => {
      reads++;
      return env.db.get(...statement);
    };
    const read = () =>
      policyOf({ id: site.id, policyRevision, phases: null }, { ...env, db: changedDb(env.db, { get }) });
    assert.deepEqual([await read(), await read(), reads], [{}, {}, 1]);
  });

  it("an invalid document is 400 with any expected revision, and nothing changes", async () => {
    const asItWas = await current();
    for (const expected of [
      {},
      { expectedRuntimePolicy: "none" },
      { expectedRuntimePolicy: asItWas.revision },
    ]) {
      refused(await patch({ ...expected, runtimePolicy: { collections: { "": {} } } }), 400, "INVALID_BODY");
      refused(await patch({ ...expected, runtimePolicy: [] }), 400, "INVALID_BODY");
    }
    for (const expectedRuntimePolicy of [1, true, {}, ["x"]]) {
      refused(await patch({ expectedRuntimePolicy, runtimePolicy: {} }), 400, "INVALID_BODY");
    }
    for (const expectedRuntimePolicy of ["", "\0", "'", "x".repeat(10_000)]) {
      refused(await patch({ expectedRuntimePolicy, runtimePolicy: {} }), 409, "POLICY_CONFLICT");
    }
    assert.deepEqual(await current(), asItWas);
  });
});
