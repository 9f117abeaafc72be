import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import { open } from "@easel/conformance/page";
import { refused } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import type { InstanceAiUsage, Usage } from "@easel/protocol/management";
import { type Outcome, reserve, settle } from "../../src/organisation/ai/reservations.ts";
import { readSettings } from "../../src/organisation/instance-settings.ts";
import { onEngines } from "../support/engines.ts";

const USD = 1e9;
const EACH = { inputTokens: 10, outputTokens: 5, cacheCreationInputTokens: 2, cacheReadInputTokens: 3 };
const sumsOf = (requests: number, cost: number, incomplete = 0) => ({
  requests,
  incomplete,
  inputTokens: 10 * requests,
  outputTokens: 5 * requests,
  cacheCreationInputTokens: 2 * requests,
  cacheReadInputTokens: 3 * requests,
  cost,
});

await onEngines("reports of AI requests", (target, env) => {
  let canvas: Stage;
  let other: Stage;
  let admin: Person;
  let userId: string;
  let guestId: string;

  /** Stores a request that started at a time and cost US dollars. Without an outcome it stays open. */
  async function request(
    { id }: Stage,
    at: string,
    cost: number,
    { outcome, model = "small", guest }: { outcome?: Outcome; model?: string; guest?: boolean },
  ) {
    const spender = {
      userId: guest ? guestId : userId,
      guest: guest === true,
      invitedBy: guest ? userId : null,
      canvasId: id,
      startedAt: Date.parse(at),
    };
    const made = await reserve(spender, { model, amount: 7 * USD }, await readSettings(env), env);
    assert.ok(typeof made === "object");
    if (outcome !== undefined) await settle(made, { outcome, usage: EACH, cost: cost * USD }, env);
  }

  before(async () => {
    [canvas, other] = [await stage(target), await stage(target)];
    admin = await target.signIn(target.admin);
    userId = String((await open(target, canvas.slug, canvas.people.owner).get("/me")).json.id);
    const guest = await guestOf(target, canvas);
    guestId = String((await open(target, canvas.slug, guest).get("/me")).json.id);
    assert.match(guestId, /^guest:/);
    await request(canvas, "2026-03-31T23:59:59.999Z", 0.5, { outcome: "done" });
    await request(canvas, "2026-04-01T00:00:00Z", 0.1, { outcome: "done" });
    await request(canvas, "2026-04-01T12:00:00Z", 0.2, { outcome: "aborted", model: "large" });
    await request(canvas, "2026-04-30T23:59:59.999Z", 0.4, { outcome: "failed", guest: true });
    await request(canvas, "2026-04-30T12:00:00Z", 9, {});
    await request(canvas, "2026-05-01T00:00:00Z", 0.8, { outcome: "lost" });
    await request(other, "2026-04-02T00:00:00Z", 1.5, { outcome: "done", model: "large" });
  });

  const usageOf = async (query = "", { id, people }: Stage = canvas) => {
    const { status, json, text } = await manage(
      target,
      people.owner,
      "GET",
      `/api/canvases/${id}/usage${query}`,
    );
    assert.equal(status, 200, text);
    return json as unknown as Usage;
  };
  const report = (query: string, person = admin) =>
    manage(target, person, "GET", `/api/admin/ai/usage${query}`);
  const APRIL = "?from=2026-04-01&to=2026-04-30";

  it("a canvas: the settled requests that started on the days, by day and by model, dearest model first", async () => {
    assert.deepEqual((await usageOf(APRIL)).ai, {
      from: "2026-04-01",
      to: "2026-04-30",
      total: sumsOf(3, 0.7, 2),
      days: [
        { day: "2026-04-01", ...sumsOf(2, 0.3, 1) },
        { day: "2026-04-30", ...sumsOf(1, 0.4, 1) },
      ],
      models: [
        { model: "small", ...sumsOf(2, 0.5, 1) },
        { model: "large", ...sumsOf(1, 0.2, 1) },
      ],
    });
  });

  it("a canvas: the spend and the reservations of the current month against the cap", async () => {
    const { clock } = env;
    try {
      env.clock = () => Date.parse("2026-04-30T23:59:59.999Z");
      assert.deepEqual((await usageOf()).spend, { month: "2026-04", spent: 0.7, reserved: 7, limit: 50 });
      env.clock = () => Date.parse("2026-06-01T00:00:00Z");
      const { spend, ai } = await usageOf();
      assert.deepEqual(spend, { month: "2026-06", spent: 0, reserved: 0, limit: 50 });
      assert.deepEqual(ai, {
        from: "2026-06-01",
        to: "2026-06-01",
        total: sumsOf(0, 0),
        days: [],
        models: [],
      });
    } finally {
      env.clock = clock;
    }
  });

  it("an administrator sees the requests of all canvases, also by person and by canvas", async () => {
    const { status, json } = await report(APRIL);
    assert.equal(status, 200);
    const { owner } = canvas.people;
    const usage = json as unknown as InstanceAiUsage;
    assert.deepEqual(usage.total, sumsOf(4, 2.2, 2));
    assert.deepEqual(
      usage.models.map(({ model, cost }) => [model, cost]),
      [
        ["large", 1.7],
        ["small", 0.5],
      ],
    );
    assert.deepEqual(
      usage.people.map(({ userId, name, email, cost, guestCost }) => [userId, name, email, cost, guestCost]),
      [
        [userId, owner.name, owner.email, 1.8, 0.4],
        [guestId, usage.people[1]?.name, usage.people[1]?.email, 0.4, 0],
      ],
    );
    assert.match(String(usage.people[1]?.email), /@/);
    assert.deepEqual(
      usage.canvases.map(({ canvasId, slug, requests, cost }) => [canvasId, slug, requests, cost]),
      [
        [other.id, other.slug, 1, 1.5],
        [canvas.id, canvas.slug, 3, 0.7],
      ],
    );
  });

  it("nobody but an administrator sees those of the instance, and nobody but owner and editors those of a canvas", async () => {
    refused(await report("", canvas.people.owner), 403, "PERMISSION_DENIED");
    const path = `/api/canvases/${canvas.id}/usage`;
    assert.equal((await manage(target, canvas.people.editor, "GET", path)).status, 200);
    assert.notEqual((await manage(target, canvas.people.viewer, "GET", path)).status, 200);
    refused(await manage(target, canvas.people.stranger, "GET", path), 404, "NOT_FOUND");
  });

  for (const query of [
    "?from=2026-02-30",
    "?from=26-1-1",
    "?to=tomorrow",
    "?from=2026-04-02&to=2026-04-01",
    "?from=2025-01-01&to=2026-04-01",
  ]) {
    it(`${query} is 400 INVALID_BODY`, async () => {
      refused(await report(query), 400, "INVALID_BODY");
      const path = `/api/canvases/${canvas.id}/usage${query}`;
      refused(await manage(target, canvas.people.owner, "GET", path), 400, "INVALID_BODY");
    });
  }
});
