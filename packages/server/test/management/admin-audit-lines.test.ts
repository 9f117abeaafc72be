import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import { cleanUpsOf } from "../../src/canvases/canvas-data.ts";
import { auditData, idAt } from "../../src/organisation/audit.ts";
import { onEngines } from "../support/engines.ts";
import { DAY_MS } from "../support/time.ts";

const MINUTE_MS = 60_000;

await onEngines("collecting the audit log", (target, env) => {
  let admin: Person;
  const now = Date.now();
  before(async () => {
    admin = await target.signIn(target.admin);
    await env.db.run`delete from audit`;
    env.clock = () => now;
  });

  /** Writes entries of some ages, in milliseconds. Their ids are in the order of their times. */
  async function write(...ages: number[]): Promise<string[]> {
    const ids: string[] = [];
    for (const [index, age] of ages.entries()) {
      const id = `${idAt(now - age)}-7000-8000-${String(index).padStart(12, "0")}`;
      await env.db.run`
        insert into audit (id, at, actor_id, actor_email, act, address) values (${id}, ${now - age}, 'x', 'ada@acme.test', 'a.b', '::1')`;
      ids.push(id);
    }
    return ids;
  }

  async function pull(query = ""): Promise<string[]> {
    const { status, text, headers } = await send(target.base, {
      method: "GET",
      path: `/api/admin/audit/lines${query}`,
      headers: admin.headers,
    });
    assert.equal(status, 200, text);
    assert.equal(headers["content-type"], "application/x-ndjson");
    return text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line).id);
  }

  it("goes on after the last id, the oldest first, and leaves out the last minute until it is over", async () => {
    const [first = "", second, third, fresh = ""] = await write(
      3 * DAY_MS,
      2 * DAY_MS,
      MINUTE_MS + 1_000,
      10_000,
    );
    assert.deepEqual(await pull(), [first, second, third]);
    assert.deepEqual(await pull("?limit=2"), [first, second]);
    assert.deepEqual(await pull(`?after=${first}`), [second, third]);
    assert.deepEqual(await pull(`?after=${third}`), []);
    env.clock = () => now + MINUTE_MS;
    assert.deepEqual(await pull(`?after=${third}`), [fresh]);
    env.clock = () => now;
  });

  it("is in no entry itself, and refuses what is no id or no number", async () => {
    const { rows } = {
      rows: await env.db.all<{ act: string }>`select act from audit where act = 'audit.lines'`,
    };
    assert.deepEqual(rows, []);
    for (const query of ["after=x y", "limit=0", "limit=10001", "limit=1.5", "after=' or 1=1"])
      refused(
        await manage(target, admin, "GET", `/api/admin/audit/lines?${encodeURI(query)}`),
        400,
        "INVALID_BODY",
      );
  });

  it("SERVICE_AUDIT_KEEP_DAYS removes older entries, also more than one batch; 0 removes none", async () => {
    await env.db.run`delete from audit`;
    const old = Array.from({ length: 1_001 }, () => 31 * DAY_MS);
    const [kept] = (await write(...old, 29 * DAY_MS)).slice(-1);
    const cleaned = async (auditKeepDays: number) => {
      for (const { keptMs, remove } of cleanUpsOf([auditData], { ...env.config, auditKeepDays }))
        await remove(now - keptMs, env);
      return (await env.db.all<{ id: string }>`select id from audit`).map(({ id }) => id);
    };
    assert.equal((await cleaned(0)).length, 1_002);
    assert.deepEqual(await cleaned(30), [kept]);
  });
});
