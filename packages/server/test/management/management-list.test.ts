import assert from "node:assert/strict";
import { before, it } from "node:test";
import { cast, manage, type Stage } from "@easel/conformance/fixture";
import type { CanvasList } from "@easel/protocol/management";
import { listCanvases } from "../../src/canvases/lists.ts";
import { viewsFor } from "../../src/canvases/view.ts";
import { asKeys } from "../../src/drivers/db/db.ts";
import type { Env } from "../../src/env.ts";
import { whole } from "../support/canvas.ts";
import { changedDb } from "../support/changed-db.ts";
import { onEngines } from "../support/engines.ts";
import { userWith } from "../support/principals.ts";

await onEngines("GET /api/canvases", (target, env) => {
  let people: Stage["people"];
  const made: Record<string, string> = {};
  before(async () => {
    people = await cast(target);
    const titles = ["Alpha", "Beta 100%", "Gamma_delta", "Wow!", "École"];
    for (const [index, title] of titles.entries()) {
      const body = { title, slug: `list-${index}` };
      const { json } = await manage(target, people.owner, "POST", "/api/canvases", body);
      made[title] = String(json.id);
    }
    const listed = [
      { email: people.editor.email, role: "editor" },
      { email: people.viewer.email, role: "viewer" },
    ];
    await manage(target, people.owner, "PUT", `/api/canvases/${made.Alpha}/sharing`, { people: listed });
    await manage(target, people.owner, "PUT", `/api/canvases/${made["Wow!"]}/sharing`, {
      access: "whole_org",
    });
  });

  const page = async (who: keyof Stage["people"], query = "") => {
    const answer = await manage(target, people[who], "GET", `/api/canvases${query}`);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(Object.keys(answer.json).sort(), ["canvases", "nextCursor"]);
    const { canvases, nextCursor } = answer.json as unknown as CanvasList;
    for (const { lastUsedAt, people30, ...canvas } of canvases)
      whole(canvas as unknown as Record<string, unknown>);
    return { titles: canvases.map(({ title }) => title), nextCursor };
  };

  it("canvases that the caller owns, newest first", async () => {
    const newest = ["École", "Wow!", "Gamma_delta", "Beta 100%", "Alpha"];
    assert.deepEqual(await page("owner"), { titles: newest, nextCursor: null });
  });

  it("canvases shared with the caller by name, but not whole_org ones", async () => {
    assert.deepEqual((await page("editor")).titles, ["Alpha"]);
    assert.deepEqual((await page("viewer")).titles, ["Alpha"]);
    assert.deepEqual((await page("stranger")).titles, []);
  });

  const found: [q: string, titles: string[]][] = [
    ["alpha", ["Alpha"]],
    ["ALPHA", ["Alpha"]],
    ["a", ["Gamma_delta", "Beta 100%", "Alpha"]],
    ["%", ["Beta 100%"]],
    ["_", ["Gamma_delta"]],
    ["!", ["Wow!"]],
    ["0%", ["Beta 100%"]],
    ["' or '1'='1", []],
    ["none", []],
    ["école", ["École"]],
    ["ÉCOLE", ["École"]],
  ];
  for (const [q, titles] of found) {
    it(`q=${q}: ${titles.join(", ") || "nothing"}`, async () => {
      assert.deepEqual((await page("owner", `?q=${encodeURIComponent(q)}`)).titles, titles);
    });
  }

  it("q filters by slug, too", async () => {
    assert.deepEqual((await page("owner", "?q=LIST-1")).titles, ["Beta 100%"]);
  });

  for (const limit of [1, 2, 4, 5, 6]) {
    it(`pages of ${limit}: everything once, in order`, async () => {
      const all: string[] = [];
      let cursor: string | null = "";
      for (let pages = 0; cursor !== null; pages++) {
        assert.ok(pages <= 5);
        const next = await page("owner", `?limit=${limit}${cursor && `&cursor=${cursor}`}`);
        assert.ok(next.titles.length <= limit);
        all.push(...next.titles);
        cursor = next.nextCursor;
      }
      assert.deepEqual(all, ["École", "Wow!", "Gamma_delta", "Beta 100%", "Alpha"]);
    });
  }

  const limits: [limit: string, count: number][] = [
    ["0", 1],
    ["-5", 1],
    ["1.9", 1],
    ["x", 5],
    ["", 5],
    ["99999", 5],
    ["1e1", 5],
  ];
  for (const [limit, count] of limits) {
    it(`limit=${limit}: ${count} of five`, async () => {
      assert.equal((await page("owner", `?limit=${limit}`)).titles.length, count);
    });
  }

  it("unknown names are ignored; of repeated ones the first counts", async () => {
    assert.equal((await page("owner", "?none=1&q=&__proto__=1&constructor=2")).titles.length, 5);
    assert.deepEqual((await page("owner", "?q=alpha&q=beta&limit=3&limit=x")).titles, ["Alpha"]);
    assert.deepEqual((await page("owner", "?cursor=zzzz&q=wow")).titles, ["Wow!"]);
  });

  it("a NUL in the query is no server error", async () => {
    for (const query of ["q=%00", "q=a%00b", "cursor=%00", "limit=%00"]) {
      const { status } = await manage(target, people.owner, "GET", `/api/canvases?${query}`);
      assert.ok(status < 500, query);
    }
  });

  it("people and teams of a whole page are read by one statement, completely", async () => {
    const all = await page("owner");
    const rows = await listCanvases(
      {
        ...userWith(String((await manage(target, people.owner, "GET", "/api/me")).json.id)),
        email: people.owner.email,
      },
      { list: null, order: "id", after: null, limit: 100 },
      env,
    );
    let reads = 0;
    const counting: Env["db"]["all"] = (...statement) => {
      reads++;
      return env.db.all(...statement);
    };
    const views = await viewsFor(rows.entries, { ...env, db: changedDb(env.db, { all: counting }) });
    assert.equal(reads, 1);
    assert.deepEqual(
      views.map(({ title }) => title),
      all.titles,
    );
    for (const view of views) {
      const { json } = await manage(target, people.owner, "GET", `/api/canvases/${view.id}`);
      assert.deepEqual([json.people, json.teams], [view.people, view.teams]);
    }
  });

  it("a page with large metadata, policies or lists of people ends early", async () => {
    const { json: me } = await manage(target, people.stranger, "GET", "/api/me");
    const titles = Array.from({ length: 8 }, (_, n) => `Large ${n}`);
    const large = "x".repeat(200 * 1024);
    for (const title of titles) {
      const { json } = await manage(target, people.stranger, "POST", "/api/canvases", { title });
      await env.db
        .run`update canvases set metadata = ${JSON.stringify({ large })} where id = ${String(json.id)}`;
    }
    const found: string[][] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const next = await page("stranger", `?limit=1000${cursor && `&cursor=${cursor}`}`);
      found.push(next.titles);
      cursor = next.nextCursor;
    }
    assert.deepEqual(
      found.map(({ length }) => length),
      [2, 2, 2, 2],
    );
    assert.deepEqual(found.flat(), titles.toReversed());
    const ids = await env.db.all<{
      id: string;
    }>`select id from canvases where owner_id = ${String(me.id)} order by id desc`;
    await env.db.run`update canvases set metadata = null where owner_id = ${String(me.id)}`;
    const crowd = asKeys(Array.from({ length: 9000 }, (_, n) => `p${n}@example.com`));
    for (const { id } of ids.slice(0, 3)) {
      await env.db.run`
        insert into canvas_people (canvas_id, email, role) select cast(${id} as text), key, 'viewer' from json_each(${crowd})`;
    }
    const first = await page("stranger");
    assert.deepEqual(first.titles, ["Large 7"]);
    assert.deepEqual((await page("stranger", `?cursor=${first.nextCursor}`)).titles, ["Large 6"]);
  });

  it("deleted canvases never appear", async () => {
    await env.db.run`update canvases set deleted_at = ${Date.now()} where id = ${String(made.Alpha)}`;
    assert.equal((await page("owner")).titles.includes("Alpha"), false);
    assert.deepEqual((await page("editor")).titles, []);
  });
});
