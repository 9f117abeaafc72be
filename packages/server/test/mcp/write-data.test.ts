import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { freshEmail, type Person } from "@easel/conformance/target";
import { type ConnectedTool, connectTool } from "../support/connected-tool.ts";
import { onEngines, onSqlite } from "../support/engines.ts";
import { newCanvas, type Shared, textOf } from "./confirming.ts";

await onEngines("write_data", (target, env) => {
  let ada: Person;
  let bob: Person;
  let tool: ConnectedTool;
  let canvas: Shared;

  before(async () => {
    [ada, bob] = await Promise.all([target.signIn(freshEmail("ada")), target.signIn(freshEmail("bob"))]);
    tool = await connectTool(target.base, ada, {}, env);
    canvas = await newCanvas(target, ada, { people: [{ email: bob.email, role: "viewer" }] });
    const runtimePolicy = {
      collections: { tasks: { preset: "collaborative" }, notes: { preset: "personal" } },
    };
    const settings = { backendEnabled: true, kv: true, runtimePolicy, expectedRuntimePolicy: null };
    const on = await manage(target, ada, "PATCH", `/api/canvases/${canvas.id}/capabilities`, settings);
    assert.equal(on.status, 200, on.text);
  });

  const write = (changes: object[], by = tool) => by.call("write_data", { canvas: canvas.id, changes });
  const runtime = (path: string, who = ada) =>
    manage(target, who, "GET", `/api/canvases/${canvas.id}/runtime${path}`);

  it("changes keys and records in order, and returns what the program cannot know", async () => {
    const { results } = await tool.use<{ results: Record<string, unknown>[] }>("write_data", {
      canvas: canvas.id,
      changes: [
        { op: "set", key: "title", value: { text: "Plan" } },
        { op: "set", key: "count", value: 1 },
        { op: "increment", key: "count", by: 4 },
        { op: "increment", key: "count" },
        { op: "set", key: "theme", own: true, value: "dark" },
        { op: "create", collection: "tasks", value: { text: "One" } },
        { op: "set", key: "gone", value: 1 },
        { op: "delete", key: "gone" },
      ],
    });
    assert.deepEqual(results.slice(2, 4), [{ value: 5 }, { value: 6 }]);
    assert.deepEqual((await runtime("/kv")).json.entries, [
      { key: "count", value: 6 },
      { key: "title", value: { text: "Plan" } },
    ]);
    assert.deepEqual((await runtime("/kv/user")).json.entries, [{ key: "theme", value: "dark" }]);
    assert.deepEqual((await runtime("/kv/user", bob)).json.entries, []);
    const { id, updatedAt } = results[5] ?? assert.fail();
    const changed = await tool.use<{ results: { updatedAt: number }[] }>("write_data", {
      canvas: canvas.id,
      changes: [{ op: "update", collection: "tasks", id, value: { text: "Two" }, updatedAt }],
    });
    const stale = {
      op: "update",
      collection: "tasks",
      id,
      value: { text: "Three" },
      updatedAt: Number(updatedAt) - 1,
    };
    assert.match(textOf(await write([stale])), /^RECORD_CHANGED: Change 1 of 1 \(update "tasks"/);
    const now = changed.results[0]?.updatedAt;
    await tool.use("write_data", {
      canvas: canvas.id,
      changes: [{ op: "delete", collection: "tasks", id, updatedAt: now }],
    });
    assert.deepEqual((await runtime("/collections/tasks")).json.entries, []);
  });

  it("records the counts with the program, and no names or values", async () => {
    await write([
      { op: "set", key: "secret-name", value: "secret-value" },
      { op: "set", key: "own-name", own: true, value: 1 },
      { op: "create", collection: "tasks", value: "secret-value" },
      { op: "create", collection: "tasks", value: "secret-value" },
    ]);
    const [entry] = await env.db.all<{ details: string; via: string; actor_email: string }>`
      select details, via, actor_email from audit where canvas_id = ${canvas.id} and act = ${"data.write"} order by id desc limit 1`;
    assert.deepEqual(JSON.parse(entry?.details ?? ""), { keys: 1, ownKeys: 1, records: 2 });
    assert.deepEqual(JSON.parse(entry?.via ?? ""), { client: "Test tool", tool: "write_data" });
    assert.equal(entry?.actor_email, ada.email);
  });

  it("stops at the first refusal, and says what is done and what is not", async () => {
    const result = await write([
      { op: "set", key: "first", value: 1 },
      { op: "set", key: "second", value: 2 },
      { op: "create", collection: "unknown", value: 3 },
      { op: "set", key: "third", value: 3 },
    ]);
    assert.match(
      textOf(result),
      /^COLLECTION_NOT_CONFIGURED: Change 3 of 4 \(create "unknown"\) was refused: .* The 2 before it are done\. The 1 after it is not\.\n/,
    );
    const keys = ((await runtime("/kv")).json.entries as { key: string }[]).map(({ key }) => key);
    assert.deepEqual([keys.includes("second"), keys.includes("third")], [true, false]);
    const [entry] = await env.db.all<{ details: string }>`
      select details from audit where canvas_id = ${canvas.id} and act = ${"data.write"} order by id desc limit 1`;
    assert.deepEqual(JSON.parse(entry?.details ?? ""), { keys: 2 });
  });

  it("has the rights of its person", async () => {
    const viewers = await connectTool(target.base, bob, {}, env);
    assert.match(
      textOf(await write([{ op: "set", key: "k", value: 1 }], viewers)),
      /^PERMISSION_DENIED: Change 1 of 1/,
    );
    const mine = await write([{ op: "set", key: "k", own: true, value: 1 }], viewers);
    assert.notEqual(mine.isError, true);
    const reader = await connectTool(target.base, ada, { scope: "deploy" }, env);
    const { status, headers } = await reader.request("tools/call", {
      name: "write_data",
      arguments: { canvas: canvas.id, changes: [{ op: "set", key: "k", value: 1 }] },
    });
    assert.equal(status, 403);
    assert.match(String(headers["www-authenticate"]), /insufficient_scope.*scope="full"/);
  });

  for (const [title, change] of [
    ["neither a key nor a collection", { op: "set", value: 1 }],
    ["both", { op: "delete", key: "a", collection: "tasks" }],
    ["another operation", { op: "create", key: "a", value: 1 }],
    ["no value", { op: "set", key: "a" }],
    ["a value to delete", { op: "delete", key: "a", value: 1 }],
    ["an amount to set", { op: "set", key: "a", value: 1, by: 2 }],
    ["a record without an id", { op: "update", collection: "tasks", value: 1 }],
    ["an id to create", { op: "create", collection: "tasks", id: "r", value: 1 }],
    ["a condition on a key", { op: "set", key: "a", value: 1, updatedAt: 1 }],
    ["a condition to increment", { op: "increment", collection: "tasks", id: "r", updatedAt: 1 }],
    ["an own record", { op: "delete", collection: "tasks", id: "r", own: true }],
  ] as [string, object][])
    it(`a change with ${title} is refused before anything is done`, async () => {
      const result = await write([{ op: "set", key: "never", value: 1 }, change]);
      assert.match(textOf(result), /^INVALID_BODY: `changes\[1\]`: .*Nothing was changed/);
      assert.equal((await runtime("/kv/never?optional=true")).json.absent, true);
    });

  it("takes at most 100 changes, and no value null", async () => {
    const many = Array.from({ length: 101 }, () => ({ op: "set", key: "never", value: 1 }));
    assert.match(textOf(await write(many)), /^INVALID_BODY: /);
    assert.match(
      textOf(await write([{ op: "set", key: "never", value: null }])),
      /^INVALID_BODY: Change 1 of 1/,
    );
    assert.match(textOf(await write([])), /^INVALID_BODY: /);
    assert.equal((await runtime("/kv/never?optional=true")).json.absent, true);
  });
});

const LIMITED = { SERVICE_RATELIMIT_ENABLED: "on", SERVICE_RATELIMIT_CANVAS_API_PER_MIN: "3" };

await onSqlite(
  "write_data with a request rate",
  (target, env) => {
    it("makes as many changes of a person in a minute as a page may send requests, and keeps those", async () => {
      const ada = await target.signIn(freshEmail("ada"));
      const bob = await target.signIn(freshEmail("bob"));
      const { id } = await newCanvas(target, ada, { people: [{ email: bob.email, role: "editor" }] });
      const on = { backendEnabled: true, kv: true };
      await manage(target, ada, "PATCH", `/api/canvases/${id}/capabilities`, on);
      const keys = ["a", "b", "c", "d"];
      const write = async (person: Person) => {
        const tool = await connectTool(target.base, person, {}, env);
        const changes = keys.map((key) => ({ op: "set", key, value: person.email }));
        return textOf(await tool.call("write_data", { canvas: id, changes }));
      };
      assert.match(
        await write(ada),
        /^RATE_LIMITED: Change 4 of 4 .*The 3 before it are done\.\nWait a minute: .*3 changes\. Send only/,
      );
      assert.match(await write(ada), /^RATE_LIMITED: Change 1 of 4 .*Nothing was changed before it/);
      assert.match(await write(bob), /^RATE_LIMITED: Change 4 of 4 /);
      const { json } = await manage(target, ada, "GET", `/api/canvases/${id}/runtime/kv`);
      assert.deepEqual(
        json.entries,
        keys.slice(0, 3).map((key) => ({ key, value: bob.email })),
      );
    });
  },
  LIMITED,
);
