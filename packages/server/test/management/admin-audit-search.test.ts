import assert from "node:assert/strict";
import { before, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { manage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import { refused } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import { findUserRow, userOf } from "../../src/identity/users.ts";
import { Download } from "../../src/management/act.ts";
import { audit } from "../../src/management/admin/reports.ts";
import { actCaller } from "../../src/management/callers.ts";
import { inputOf } from "../../src/operations/operation.ts";
import { searchAudit } from "../../src/organisation/audit-search.ts";
import { changedDb } from "../support/changed-db.ts";
import { onEngines } from "../support/engines.ts";
import { DAY_MS } from "../support/time.ts";
import { everyPage, pageOf, type Row } from "./admin-list.ts";

/** An id that an entry of this time has. `index` tells entries of the same millisecond apart. */
function idOf(at: number, index: number): string {
  const hex = at.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${index.toString(16).padStart(3, "0")}-8000-${"0".repeat(12)}`;
}

const DAY = Date.parse("2020-05-01");
/** The name of a program that needs escapes in JSON, and whose letters are more than one unit of UTF-16. */
const PROGRAM = 'An "editor" 👩🏽‍💻%';
const HOSTILE = "=cmd|'/c calc'!A1";

await onEngines("searching the audit log", (target, env) => {
  let admin: Person;
  before(async () => {
    admin = await target.signIn(target.admin);
  });

  interface Given {
    at?: number;
    actor?: string;
    act?: string;
    target?: string | null;
    canvas?: string | null;
    details?: object | null;
    via?: { client: string; tool: string } | null;
  }
  let written = 0;
  /** Writes an entry of the past, and returns its id. */
  async function write({ at = DAY, actor = "ada@acme.test", act = "canvas.share", ...more }: Given = {}) {
    const id = idOf(at, written++ % 4096);
    await env.db.run`
      insert into audit (id, at, actor_id, actor_email, act, canvas_id, target, address, details, via)
      values (${id}, ${at}, ${`id-of-${actor}`}, ${actor}, ${act}, ${more.canvas ?? null}, ${more.target ?? null}, '::1',
        ${more.details == null ? null : JSON.stringify(more.details)}, ${more.via == null ? null : JSON.stringify(more.via)})`;
    return id;
  }
  const found = async (query: string) =>
    (await everyPage(target, admin, "audit", 1000, query)).map(({ id }) => id);
  const search = async (filter: Record<string, string>) => found(String(new URLSearchParams(filter)));

  it("each filter selects what is equal to it, and all must match", async () => {
    const share = await write({ actor: "find@acme.test", canvas: "c-1", target: "t-1" });
    const other = await write({ actor: "find@acme.test", act: "canvas.delete", canvas: "c-1" });
    const more = await write({
      actor: "more@acme.test",
      act: "canvas.delete",
      canvas: "c-11",
      target: "t-11",
      via: { client: PROGRAM, tool: "delete_canvas" },
    });
    const table: [filter: Record<string, string>, ids: string[]][] = [
      [{ actor: "find@acme.test" }, [other, share]],
      [{ actor: " FIND@acme.test " }, [other, share]],
      [{ actor: "id-of-find@acme.test" }, []],
      [{ actor: "find@acme.test", act: "canvas.share" }, [share]],
      [{ canvas: "c-1" }, [other, share]],
      [{ canvas: "c-1", act: "canvas.delete" }, [other]],
      [{ target: "t-1" }, [share]],
      [{ target: "t-11", canvas: "c-1" }, []],
      [{ act: "canvas.delete", canvas: "c-11", actor: "more@acme.test", target: "t-11" }, [more]],
      [{ act: "canvas.dele" }, []],
      [{ client: PROGRAM }, [more]],
      [{ client: PROGRAM, act: "canvas.share" }, []],
      [{ client: PROGRAM.slice(0, -1) }, []],
      [{ client: "delete_canvas" }, []],
    ];
    for (const [filter, ids] of table) assert.deepEqual(await search(filter), ids, JSON.stringify(filter));
  });

  it("an entry about a canvas has the title that it has now, as long as it is stored", async () => {
    const { id } = (await manage(target, admin, "POST", "/api/canvases", { title: "Before" })).json;
    await manage(target, admin, "PATCH", `/api/canvases/${id}`, { title: "After" });
    await write({ actor: "gone@acme.test", canvas: "gone" });
    const titles = async (canvas: unknown) =>
      (await pageOf(target, admin, "audit", `canvas=${canvas}`)).rows.map(({ canvasTitle }) => canvasTitle);
    assert.deepEqual(await titles(id), ["After", "After"]);
    assert.deepEqual(await titles("gone"), [null]);
  });

  it("an actor is found by the id, too", async () => {
    const { id } = (await manage(target, admin, "GET", "/api/me")).json;
    await manage(target, admin, "PATCH", "/api/admin/settings", {});
    const ids = await search({ actor: String(id), act: "settings.update" });
    assert.equal(ids.length, 1);
  });

  it("from and to are whole days in UTC", async () => {
    const of = (at: number) => write({ at, actor: "days@acme.test" });
    const [first, second, third] = [await of(DAY - 1), await of(DAY), await of(DAY + DAY_MS - 1)];
    const fourth = await of(DAY + DAY_MS);
    const actor = "days@acme.test";
    assert.deepEqual(await search({ actor, from: "2020-05-01", to: "2020-05-01" }), [third, second]);
    assert.deepEqual(await search({ actor, from: "2020-05-02" }), [fourth]);
    assert.deepEqual(await search({ actor, to: "2020-04-30" }), [first]);
    assert.deepEqual(await search({ actor, from: "2020-05-03", to: "2020-05-01" }), []);
    assert.deepEqual(await search({ from: "2020-04-30", to: "2020-04-30", q: "days@" }), [first]);
  });

  it("an entry whose id was made a little later than its time is found on its day", async () => {
    const id = idOf(DAY + DAY_MS + 5_000, 1);
    await env.db.run`
      insert into audit (id, at, actor_id, actor_email, act, address) values (${id}, ${DAY + DAY_MS - 1}, 'x', 'late@acme.test', 'a.b', '::1')`;
    assert.deepEqual(await search({ actor: "late@acme.test", to: "2020-05-01" }), [id]);
  });

  it("q is found in actor, act, target, address, program and details, without wildcards", async () => {
    const id = await write({
      actor: "quill@acme.test",
      act: "test.quest",
      target: "Target%Q",
      details: { title: "Grüße_Q" },
      via: { client: "Quokka", tool: "deploy_canvas" },
    });
    for (const q of ["quokka", "deploy_c", "QUILL@", "test.quest", "target%q", "grüße_q", "GRÜßE_Q"])
      assert.deepEqual(await search({ q, actor: "quill@acme.test" }), [id], q);
    for (const q of ["q_ill", "target_q", "' or 1=1", "\\"])
      assert.deepEqual(await search({ q, actor: "quill@acme.test" }), [], q);
  });

  it("a rare text among 25,000 entries: pages end early, and the search goes on to the end", async () => {
    const numbers = JSON.stringify(
      Object.fromEntries(Array.from({ length: 25_000 }, (_, n) => [String(n).padStart(5, "0"), 1])),
    );
    await env.db.run`
      insert into audit (id, at, actor_id, actor_email, act, address)
      select '00000000-0000-7000-8000-' || '0000000' || key, 5, 'many', 'many@acme.test', 'many.act', '::1'
      from json_each(${numbers}) where true`;
    await env.db.run`update audit set target = 'needle' where id = '00000000-0000-7000-8000-000000000007'`;
    await env.db.run`update audit set target = 'needle' where id = '00000000-0000-7000-8000-000000024999'`;
    const query = "actor=many@acme.test&q=needle";
    const first = await pageOf(target, admin, "audit", query);
    assert.deepEqual(
      first.rows.map(({ id }) => id.slice(-5)),
      ["24999"],
    );
    assert.equal(first.nextCursor?.slice(-5), "05000");
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await searchAudit({ actor: "many@acme.test", q: "none" }, { cursor: "z", limit: 10 }, env);
    isDone = true;
    assert.ok(turns >= 9, "other work runs between the slices");
    const second = await pageOf(target, admin, "audit", `${query}&cursor=${first.nextCursor}`);
    assert.deepEqual([second.rows.map(({ id }) => id.slice(-5)), second.nextCursor], [["00007"], null]);
    const pages = await everyPage(target, admin, "audit", 1000, "actor=many@acme.test");
    assert.equal(new Set(pages.map(({ id }) => id)).size, 25_000);
  });

  it("parameters that are none: 400", async () => {
    for (const query of ["from=yesterday", "to=2020-02-30", "canvas=a%20b", "q=%00", "cursor=!"])
      refused(await manage(target, admin, "GET", `/api/admin/audit?${query}`), 400, "INVALID_BODY");
    refused(await manage(target, admin, "GET", "/api/admin/audit/export?format=xml"), 400, "INVALID_BODY");
  });

  const exported = (query: string) => manage(target, admin, "GET", `/api/admin/audit/export?${query}`);
  const headerOf = (answer: { headers: Headers | Record<string, unknown> }, name: string) =>
    answer.headers instanceof Headers ? answer.headers.get(name) : answer.headers[name];

  it("an export has the entries of the list as they were recorded, as JSON lines", async () => {
    await write({ actor: "export@acme.test", details: { title: 'Ümläut "x"' } });
    const via = { client: "Sketch agent", tool: "share_canvas" };
    await write({ actor: "export@acme.test", target: "t", via });
    const { rows } = await pageOf(target, admin, "audit", "actor=export@acme.test");
    assert.deepEqual(
      rows.map((row) => row.via),
      [via, null],
    );
    const answer = await exported("actor=export@acme.test&format=jsonl");
    assert.equal(answer.status, 200);
    const lines = answer.text.trimEnd().split("\n");
    assert.deepEqual(
      lines.map((line) => ({ ...(JSON.parse(line) as Row), canvasTitle: null })),
      rows,
    );
    assert.match(String(headerOf(answer, "content-type")), /^application\/x-ndjson/);
    assert.match(
      String(headerOf(answer, "content-disposition")),
      /^attachment; filename="audit-\d{4}-\d\d-\d\d\.jsonl"$/,
    );
  });

  it("as CSV a hostile cell is a text", async () => {
    const id = await write({
      actor: "csv@acme.test",
      target: HOSTILE,
      details: { title: "a,b" },
      via: { client: HOSTILE, tool: "share_canvas" },
    });
    const answer = await exported("actor=csv@acme.test&format=csv");
    assert.equal(
      answer.text,
      "id,at,actor_id,actor_email,act,canvas_id,target,address,details,via_client,via_tool\r\n" +
        `${id},2020-05-01T00:00:00.000Z,id-of-csv@acme.test,csv@acme.test,canvas.share,,'${HOSTILE},::1,"{""title"":""a,b""}",'${HOSTILE},share_canvas\r\n`,
    );
    assert.match(String(headerOf(answer, "content-type")), /^text\/csv/);
  });

  it("an export is an entry of the audit log, with its filter", async () => {
    await exported("actor=nobody@acme.test&format=csv");
    const { rows } = await pageOf(target, admin, "audit", "act=audit.export&limit=1");
    assert.deepEqual(rows[0]?.details, { format: "csv", actor: "nobody@acme.test" });
  });

  /** Starts an export in the process, with a database that counts reads. */
  async function startExport() {
    let reads = 0;
    const db = changedDb(env.db, {
      all(...statement) {
        reads += 1;
        return env.db.all(...statement);
      },
    });
    const user = userOf(await findUserRow(admin.email, env)) ?? assert.fail();
    const caller = actCaller({ user, credential: null, passes: [] }, "::1", env);
    const act = audit.find(({ name }) => name === "audit.export") ?? assert.fail();
    const { body } = await act.perform(caller, inputOf({ query: { actor: "many@acme.test" } }), {
      ...env,
      db,
    });
    assert.ok(body instanceof Download);
    return { stream: body.stream, reads: () => reads };
  }

  it("an export reads no further than its client does, and stops when the client goes", async () => {
    const { stream, reads } = await startExport();
    assert.equal(reads(), 0, "nothing is read before the client does");
    const chunks = stream[Symbol.asyncIterator]();
    await chunks.next();
    await until("it reads ahead", async () => reads() > 0);
    await sleep(50);
    const ahead = reads();
    assert.ok(ahead <= 8, `${ahead} reads`);
    await chunks.next();
    await sleep(20);
    stream.destroy();
    const last = reads();
    await sleep(50);
    assert.ok(reads() <= last + 2, "one page may be under way");
    assert.equal(stream.destroyed, true);
  });
});
