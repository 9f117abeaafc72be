import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { after, before, describe, it } from "node:test";
import { turn } from "@easel/conformance/fixture";
import { govern } from "@easel/conformance/policy";
import { CONNECTION_METHODS } from "@easel/protocol/policy";
import type { User } from "../../src/access/principal.ts";
import type { Ai, Part } from "../../src/drivers/ai/ai.ts";
import type { Env } from "../../src/env.ts";
import { type Input, inputOf } from "../../src/operations/operation.ts";
import { readmit } from "../../src/pipeline/admit.ts";
import { callerOf } from "../../src/primitives/caller.ts";
import { primitives } from "../../src/primitives/index.ts";
import type { Answer, RuntimeCaller } from "../../src/primitives/primitive.ts";
import { startDev } from "../support/engines.ts";
import { zip } from "../support/zip.ts";
import { connected } from "./connections/connected.ts";
import { ScriptedOutbound } from "./connections/scripted-outbound.ts";

const MODEL = "claude-haiku-5-5";

/** Answers every prompt with one word. */
const ai: Ai = {
  tellsInputFirst: false,
  async *stream(): AsyncGenerator<Part> {
    const usage = { inputTokens: 1, outputTokens: 1, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
    yield { type: "text", text: "Tea" };
    yield { type: "end", usage };
  },
};

const outbound = new ScriptedOutbound();
outbound.onSend = ({ request, respond }) => respond(request.body ?? "", { status: 203 });

const { target, env: served } = await startDev(
  { after },
  { SERVICE_AUTHORING: "on", SERVICE_AI_PROVIDER: "anthropic", SERVICE_AI_API_KEY: "key-of-the-test" },
);
const env: Env = { ...served, ai, outbound };
const canvas = await connected(target, { switches: { ai: true, authoring: true } });
await turn(target, canvas, { aiAudience: "viewers" });
const phases = { closed: { create: "none" } } as const;
await govern(target, canvas, {
  collections: { notes: { preset: "collaborative", aggregateCount: "viewers", phases } },
  fileGroups: { photos: { preset: "collaborative", phases } },
});
const { profile } = canvas;

/** Admits the owner to the canvas, by a credential that needs no request. */
async function admitted(): Promise<RuntimeCaller> {
  const { email } = canvas.people.owner;
  const row = await env.db.get<{ id: string }>`select id from users where email = ${email}`;
  const user = { id: row?.id ?? "" } as User;
  const credential = { kind: "assertion", until: Number.POSITIVE_INFINITY } as const;
  const use = { reads: false, leavesCanvas: true };
  const admission = { user, credential, passes: [], canvas, use };
  return callerOf(await readmit(admission, null, env), { use, address: "192.0.2.1" }, null, env);
}

const operations = new Map(primitives.flatMap((each) => each.operations.map((one) => [one.name, one])));
const performed = new Set<string>();
let caller: RuntimeCaller;

async function perform(name: string, given: Partial<Input> = {}): Promise<Answer> {
  performed.add(name);
  return (operations.get(name) ?? assert.fail(name)).perform(caller, inputOf(given), env);
}

/** Reads the text of an answer. */
async function textOf(answer: Answer): Promise<string> {
  const body = typeof answer === "string" || answer instanceof Readable ? answer : answer.body;
  if (!(body instanceof Readable)) return String(body ?? "");
  const chunks = await body.toArray();
  return Buffer.concat(chunks.map((chunk) => Buffer.from(chunk))).toString();
}

/** Performs an operation and parses the JSON of its answer. */
const json = async (name: string, given?: Partial<Input>) =>
  JSON.parse(await textOf(await perform(name, given)));

const body = (value: unknown) => ({ body: { value } });
const params = (given: Record<string, string>) => ({ params: given });

describe("a caller in the same process performs every operation of the runtime API, without a request", () => {
  before(async () => {
    caller = await admitted();
  });

  it("identity and people", async () => {
    assert.equal((await json("identity.me")).canvasRole, "owner");
    assert.deepEqual(await json("people.get", { query: { ids: caller.user.id } }), { people: [] });
  });

  for (const [name, key] of [
    ["kv", "tea"],
    ["kv.user", "cup"],
  ] as const)
    it(`${name}: values by key`, async () => {
      const at = params({ key });
      assert.deepEqual(await json(`${name}.set`, { ...at, ...body(2) }), { ok: true });
      assert.deepEqual(await json(`${name}.increment`, { ...at, ...body({ by: 3 }) }), { value: 5 });
      assert.deepEqual(await json(`${name}.get`, at), { value: 5 });
      assert.deepEqual((await json(`${name}.list`)).entries, [{ key, value: 5 }]);
      const keep = { ...at, ...body(7), local: { keep: true } };
      await assert.rejects(perform(`${name}.set`, keep), { code: "EXISTS" });
      assert.deepEqual(await json(`${name}.delete`, at), { ok: true });
      await assert.rejects(perform(`${name}.get`, at), { code: "NOT_FOUND" });
      await assert.rejects(perform(`${name}.set`, { ...at, ...body(null) }), { code: "INVALID_BODY" });
    });

  it("submissions", async () => {
    const at = params({ collection: "form" });
    const value = { name: "Ada" };
    assert.deepEqual((await json("submission.set", { ...at, ...body(value) })).value, value);
    assert.deepEqual((await json("submission.mine", at)).value, value);
    assert.equal((await json("submission.list", at)).entries.length, 1);
    assert.deepEqual(await json("submission.delete", at), { ok: true });
    await perform("submission.set", { ...at, ...body(1) });
    await perform("submission.remove", params({ collection: "form", user: caller.user.id }));
    assert.deepEqual((await json("submission.list", at)).entries, []);
    assert.deepEqual(await json("submission.clear", at), { ok: true });
  });

  it("collections", async () => {
    const notes = params({ name: "notes" });
    const created = await json("record.create", { ...notes, ...body(1) });
    const at = params({ name: "notes", id: created.id });
    assert.equal((await json("record.increment", { ...at, ...body({ by: 2 }) })).value, 3);
    assert.equal((await json("record.update", { ...at, ...body("tea") })).value, "tea");
    assert.equal((await json("record.get", at)).value, "tea");
    assert.equal((await json("record.list", notes)).entries.length, 1);
    assert.deepEqual(await json("record.count", notes), { count: 1 });
    assert.equal((await json("record.permissions", notes)).read.any, true);
    assert.equal((await json("record.delete", at)).ok, true);
    await perform("record.create", { ...notes, ...body(2) });
    assert.equal((await json("record.clear", notes)).deleted, 1);
    assert.deepEqual(
      (await json("record.setPhase", { ...notes, ...body({ phase: "closed" }) })).phase,
      "closed",
    );
    caller = await caller.readmit();
    assert.equal((await json("record.phase", notes)).phase, "closed");
    await assert.rejects(perform("record.create", { ...notes, ...body(3) }), { code: "PERMISSION_DENIED" });
  });

  it("files", async () => {
    const content = Readable.from([Buffer.from("leaves")]);
    const file = { scope: "shared", name: "tea.txt", type: "text/plain", size: 6, content };
    const { id } = await json("file.upload", body(file));
    const at = params({ id });
    assert.equal(await textOf(await perform("file.content", at)), "leaves");
    assert.equal((await json("file.rename", { ...at, ...body({ name: "cup.txt" }) })).name, "cup.txt");
    assert.deepEqual(
      (await json("file.list")).files.map((each: { id: string }) => each.id),
      [id],
    );
    assert.deepEqual(await json("file.delete", at), { ok: true });
    const photos = params({ name: "photos" });
    assert.equal((await json("file.setPhase", { ...photos, ...body({ phase: "closed" }) })).phase, "closed");
    caller = await caller.readmit();
    assert.equal((await json("file.phase", photos)).phase, "closed");
  });

  it("AI", async () => {
    const prompt = { model: MODEL, messages: [{ role: "user", content: "What is in the cup?" }] };
    assert.match(await textOf(await perform("ai.chat", body(prompt))), /"text":"Tea".*"type":"done"/s);
  });

  for (const method of CONNECTION_METHODS)
    it(`Connections: ${method}`, async () => {
      for (const [suffix, path] of [
        ["-root", ""],
        ["", "/leaves"],
      ] as const) {
        const sent = ["GET", "HEAD"].includes(method) ? "" : "Tea";
        const answer = await perform(`connections.${method.toLowerCase()}${suffix}`, {
          ...params({ profile, path: path.slice(1) }),
          ...body(Buffer.from(sent)),
          message: { method, target: `/connections/${profile}${path}`, headers: {}, rawHeaders: [] },
        });
        assert.equal((answer as { status: number }).status, 203);
        assert.equal(await textOf(answer), sent);
        const { request } = outbound.sent.at(-1) ?? assert.fail();
        assert.deepEqual([request.method, request.path], [method, path || "/"]);
        (answer as { sent(): void }).sent();
      }
    });

  it("authoring", async () => {
    const bundle = Readable.from([await zip({ "index.html": "<h1>Tea</h1>" })]);
    const { id } = await json("authoring.publish", body({ metadata: { title: "Tea" }, bundle }));
    const at = params({ id });
    const metadata = { title: "Cup" };
    assert.equal((await json("authoring.update", { ...at, ...body({ metadata }) })).title, "Cup");
    assert.equal((await json("authoring.list")).canvases.length, 1);
    const revoked = await perform("authoring.revoke", at);
    assert.equal((revoked as { status: number }).status, 204);
  });

  it("page errors", async () => {
    const errors = [{ code: "SCRIPT_ERROR", message: "No tea", page: "/" }];
    const answer = await perform("page-errors.report", body({ errors }));
    assert.equal((answer as { status: number }).status, 204);
  });

  it("realtime, which needs a socket", async () => {
    await assert.rejects(perform("realtime.connect"), { code: "UPGRADE_REQUIRED" });
  });

  it("and these are all", () => {
    assert.deepEqual([...performed].sort(), [...operations.keys()].sort());
  });
});
