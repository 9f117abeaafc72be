import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { before, describe, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import type { Header } from "@easel/conformance/http";
import type { Person } from "@easel/conformance/target";
import type { CanvasList, Usage } from "@easel/protocol/management";
import { PageViews } from "../../src/async/page-views.ts";
import { cleanUpsOf } from "../../src/canvases/canvas-data.ts";
import { sweep } from "../../src/canvases/sweep.ts";
import { sqlText, Unavailable } from "../../src/drivers/db/db.ts";
import type { Env } from "../../src/env.ts";
import { utcDay } from "../../src/organisation/days.ts";
import { writePageViews } from "../../src/organisation/view-counts.ts";
import { changedDb } from "../support/changed-db.ts";
import { onEngines, startDev } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";
import { temporaryDirectory } from "../support/service.ts";
import { DAY_MS, HOUR_MS } from "../support/time.ts";

const NAVIGATION: Header[] = [["Sec-Fetch-Dest", "document"]];

await onEngines("views of pages", (target, env) => {
  let people: Stage["people"];
  let site: Stage;
  before(async () => {
    site = await stage(target);
    ({ people } = site);
    await publish(target, site, { "index.html": "page", "app.js": "script", "404.html": "missing" });
  });

  /** Returns a canvas of its own with a page. */
  async function fresh(setup: Parameters<typeof stage>[1] = {}): Promise<Stage> {
    const made = await stage(target, { people, ...setup });
    await publish(target, made, { "index.html": "page", "app.js": "script", "404.html": "missing" });
    return made;
  }
  async function look(at: Stage, person: Person | null, headers: Header[] = NAVIGATION, path = "") {
    const answer = await visit(target, at.slug, person, path, headers);
    return [answer.status, answer.headers.etag ?? ""] as const;
  }
  async function viewsOf({ id }: Stage, query = "") {
    const { status, json, text } = await manage(
      target,
      people.owner,
      "GET",
      `/api/canvases/${id}/usage${query}`,
    );
    assert.equal(status, 200, text);
    return (json as unknown as Usage).views ?? assert.fail("no views");
  }
  async function listed({ slug }: Stage, who: keyof Stage["people"], query = "") {
    const { json, text } = await manage(target, people[who], "GET", `/api/canvases?q=${slug}${query}`);
    const [entry = assert.fail(text)] = (json as unknown as CanvasList).canvases;
    return entry;
  }
  /** Another node with the same database, which has counted the views that `add` adds. */
  function otherNode(add: (views: PageViews) => void, changed: Partial<Env> = {}): Env {
    const pageViews = new PageViews(true);
    add(pageViews);
    return { ...env, pageViews, ...changed };
  }
  const day = (at: number) => Math.floor(at / DAY_MS);
  const viewersOf = ({ id }: Stage) =>
    env.db.all<{
      viewer: string;
      day: number;
    }>`select viewer, day from page_viewers where canvas_id = ${id} order by viewer`;

  it("pages are counted by day, each person once; visitors as views alone; nothing else is a view", async () => {
    const canvas = await fresh({ access: "public_link" });
    assert.deepEqual(await viewsOf(canvas), { total: 0, people: 0, days: [] });
    const [, etag] = await look(canvas, people.owner);
    assert.equal((await look(canvas, people.owner, [["If-None-Match", etag]]))[0], 304);
    await look(canvas, people.viewer);
    await look(canvas, null);
    await look(canvas, await guestOf(target, canvas));
    const expected = { total: 5, people: 3, days: [{ day: utcDay(Date.now()), views: 5, people: 3 }] };

    await look(canvas, people.editor, [], "app.js");
    assert.equal((await look(canvas, people.editor, [], "none"))[0], 404);
    assert.equal((await look({ ...canvas, slug: "none" }, people.editor))[0], 404);
    await visit(target, canvas.slug, people.editor, "", NAVIGATION, "HEAD");
    await look(canvas, people.editor, [...NAVIGATION, ["Sec-Purpose", "prefetch"]]);
    await look(canvas, people.editor, [["Sec-Fetch-Dest", "empty"]]);
    assert.equal((await look(await fresh(), people.stranger))[0], 404);
    await writePageViews(env);
    assert.deepEqual(await viewsOf(canvas), expected);
    await writePageViews(env);
    assert.deepEqual(await viewsOf(canvas), expected);
  });

  it("a preview is no view", async () => {
    const canvas = await fresh();
    const { json } = await manage(target, people.owner, "GET", `/api/canvases/${canvas.id}/versions`);
    const [{ id: version }] = json.versions as unknown as [{ id: string }];
    const preview = `/api/canvases/${canvas.id}/versions/${version}/preview`;
    const { pathname, search } = new URL(
      String((await manage(target, people.owner, "POST", preview)).json.url),
    );
    const opened = await visit(target, canvas.slug, people.owner, `${pathname.split("/").at(-1)}${search}`);
    const [pin = ""] = (opened.headers["set-cookie"] ?? []).map((each) => each.split(";")[0]);
    const cookie: Header = ["Cookie", `${people.owner.headers[0]?.[1]}; ${pin}`];
    const shown = await visit(target, canvas.slug, { ...people.owner, headers: [cookie] }, "", NAVIGATION);
    assert.deepEqual(
      [shown.status, shown.text, shown.headers["cache-control"]],
      [200, "page", "private, no-store"],
    );
    await writePageViews(env);
    assert.equal((await viewsOf(canvas)).total, 0);
  });

  it("who it was is stored nowhere, and one person is another one on another canvas", async () => {
    const [one, two] = [await fresh(), await fresh()];
    const me = (await manage(target, people.viewer, "GET", "/api/me")).json;
    for (const canvas of [one, two]) await look(canvas, people.viewer);
    await writePageViews(env);
    const [[{ viewer: first } = assert.fail()], [{ viewer: second } = assert.fail()]] = [
      await viewersOf(one),
      await viewersOf(two),
    ];
    assert.match(first, /^[\w-]{22}$/);
    assert.notEqual(first, second);
    for (const table of ["page_views", "page_viewers"]) {
      const stored = JSON.stringify(await env.db.all(sqlText(`select * from ${table}`)));
      for (const word of [me.id, me.email, me.name])
        assert.ok(!stored.includes(String(word)), `${table}: ${word}`);
    }
  });

  it("nodes add up, and count nobody twice, even if they write at once or late", async () => {
    const canvas = await fresh();
    const now = Date.now();
    const nodes = Array.from({ length: 4 }, (_, node) =>
      otherNode((views) => {
        for (let person = 0; person < 150; person++) views.add(canvas.id, `p${person}`, now - node);
        views.add(canvas.id, `only ${node}`, now);
      }),
    );
    await Promise.all(nodes.map(writePageViews));
    const today = { day: utcDay(now), views: 4 * 151, people: 154 };
    assert.deepEqual(await viewsOf(canvas), { total: 604, people: 154, days: [today] });
    assert.equal((await listed(canvas, "owner")).lastUsedAt, now);

    await writePageViews(otherNode((views) => views.add(canvas.id, "p1", now - 1)));
    assert.deepEqual((await viewsOf(canvas)).days, [{ ...today, views: 605 }]);
    assert.equal((await listed(canvas, "owner")).lastUsedAt, now);
  });

  it("what an outage interrupts is written later, once", async () => {
    const canvas = await fresh();
    const now = Date.now();
    let calls = 0;
    const failing = changedDb(env.db, {
      async batch(steps) {
        if (++calls === 2) throw new Unavailable("away");
        return env.db.batch(steps);
      },
    });
    const node = otherNode((views) => {
      for (let person = 0; person < 250; person++) views.add(canvas.id, `p${person}`, now);
    });
    await assert.rejects(writePageViews({ ...node, db: failing }), Unavailable);
    await writePageViews(node);
    assert.deepEqual(await viewsOf(canvas), {
      total: 250,
      people: 250,
      days: [{ day: utcDay(now), views: 250, people: 250 }],
    });
  });

  it("a person counts on each day, and once in 30 days; then their pseudonym is removed, and after 400 days the counts", async () => {
    const canvas = await fresh();
    const start = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const at = (days: number) => start + days * DAY_MS + 12 * HOUR_MS;
    const see = (days: number, ...who: string[]) =>
      writePageViews(
        otherNode((views) => {
          for (const person of who) views.add(canvas.id, person, at(days));
        }),
      );
    /** Sweeps on a day. Returns the number of people in 30 days. */
    async function peopleOn(days: number): Promise<number> {
      const later = { ...env, clock: () => at(days) };
      for (const { what, keptMs, remove } of cleanUpsOf(env.canvasData, env.config))
        if (/views|opened/.test(what)) await remove(later.clock() - keptMs, later);
      return (await viewsOf(canvas)).people;
    }
    await see(0, "ada", "bo");
    await see(1, "ada", "cy");
    await see(2, "ada");
    const range = `?from=${utcDay(at(0))}&to=${utcDay(at(2))}`;
    const counts = [
      [2, 2],
      [2, 2],
      [1, 1],
    ].map(([views, people], days) => ({ day: utcDay(at(days)), views, people }));
    assert.deepEqual(await viewsOf(canvas, range), { total: 5, people: 3, days: counts });
    assert.deepEqual((await viewsOf(canvas, `?from=${utcDay(at(1))}&to=${utcDay(at(1))}`)).days, [counts[1]]);
    // Somebody whose views another node writes late is not on a day of before.
    await see(1, "ada");
    assert.equal((await viewsOf(canvas, range)).days[1]?.people, 2);
    assert.deepEqual(
      [await peopleOn(29), await peopleOn(30), await peopleOn(31), await peopleOn(32)],
      [3, 2, 1, 0],
    );
    assert.deepEqual(await viewersOf(canvas), []);
    assert.equal((await listed(canvas, "owner")).people30, 0);
    assert.equal((await viewsOf(canvas, range)).total, 6);
    await peopleOn(400);
    assert.deepEqual(
      (await viewsOf(canvas, range)).days.map((each) => each.day),
      [utcDay(at(1)), utcDay(at(2))],
    );
  });

  it("many pseudonyms that expire at once are removed, and counted", async () => {
    const canvas = await fresh();
    const now = Date.now();
    const seen = otherNode((views) => {
      for (let person = 0; person < 1_100; person++) views.add(canvas.id, `p${person}`, now - 40 * DAY_MS);
      views.add(canvas.id, "new", now);
    });
    await writePageViews(seen);
    assert.equal((await viewsOf(canvas)).people, 1_101);
    await sweep(env);
    assert.equal((await viewsOf(canvas)).people, 1);
    assert.deepEqual(
      (await viewersOf(canvas)).map((each) => each.day),
      [day(now)],
    );
  });

  it("a canvas that has been removed meanwhile keeps nobody else from being counted", async () => {
    const canvas = await fresh();
    await writePageViews(
      otherNode((views) => {
        views.add("gone", "ada", Date.now());
        views.add(canvas.id, "ada", Date.now());
      }),
    );
    assert.equal((await viewsOf(canvas)).people, 1);
    assert.deepEqual(await env.db.all`select day from page_views where canvas_id = ${"gone"}`, []);
  });

  it("a list has the last use and the people for owner and editors only, and is sorted by use", async () => {
    const [first, second, third] = [await fresh(), await fresh(), await fresh()];
    const now = Date.now();
    assert.deepEqual(
      [(await listed(first, "owner")).lastUsedAt, (await listed(first, "owner")).people30],
      [null, 0],
    );
    await writePageViews(
      otherNode((views) => {
        views.add(first.id, "ada", now - 2);
        views.add(third.id, "ada", now - 2);
        views.add(third.id, "bo", now - 1);
      }),
    );
    for (const who of ["owner", "editor", "viewer"] as const) {
      const { lastUsedAt, people30 } = await listed(third, who);
      assert.deepEqual([lastUsedAt, people30], who === "viewer" ? [null, null] : [now - 1, 2], who);
    }
    const order = async (query: string, limit: number) => {
      const found: string[] = [];
      let cursor = "";
      do {
        const path = `/api/canvases?sort=used&limit=${limit}${query}${cursor}`;
        const { status, json, text } = await manage(target, people.owner, "GET", path);
        assert.equal(status, 200, text);
        const { canvases, nextCursor } = json as unknown as CanvasList;
        found.push(...canvases.map(({ id }) => id));
        cursor = nextCursor === null ? "" : `&cursor=${nextCursor}`;
      } while (cursor !== "");
      return found.filter((id) => [first, second, third].some((each) => each.id === id));
    };
    for (const query of ["", "&list=mine"])
      for (const limit of [1, 2, 100])
        assert.deepEqual(await order(query, limit), [third.id, first.id, second.id], `${query} ${limit}`);
    const [{ json: byChange }, { json: byUse }] = [
      await manage(target, people.owner, "GET", "/api/canvases?list=mine&sort=updated&limit=1"),
      await manage(target, people.owner, "GET", "/api/canvases?list=mine&sort=used&limit=1"),
    ];
    for (const [sort, { nextCursor }] of [
      ["used", byChange],
      ["updated", byUse],
    ] as const) {
      const path = `/api/canvases?list=mine&sort=${sort}&cursor=${nextCursor}`;
      assert.equal((await manage(target, people.owner, "GET", path)).status, 400);
    }
  });

  it("a view changes neither the time of the last change nor what nodes remember of the canvas", async () => {
    const canvas = await fresh();
    const row = () =>
      env.db.get<{ updated_at: number }>`select updated_at from canvases where id = ${canvas.id}`;
    const epochs = () =>
      env.db.all`select epoch from access_epochs where id = ${`canvas ${canvas.id}`}`.catch(() => []);
    const before = [await row(), await epochs()];
    await look(canvas, people.viewer);
    await writePageViews(env);
    assert.ok((await listed(canvas, "owner")).lastUsedAt);
    assert.deepEqual([await row(), await epochs()], before);
  });
});

describe("views of pages, with a service of their own", () => {
  it("turned off, nothing is counted, stored or shown", async (t) => {
    const { target, env } = await startDev(t, { SERVICE_PAGE_VIEWS: "off" });
    const canvas = await stage(target);
    await publish(target, canvas, { "index.html": "page" });
    const today = Math.floor(Date.now() / DAY_MS);
    await env.db
      .run`insert into page_views (canvas_id, day, views, people) values (${canvas.id}, ${today}, 7, 7)`;
    assert.equal((await visit(target, canvas.slug, canvas.people.viewer)).status, 200);
    await writePageViews(env);
    assert.deepEqual(await env.db.all`select * from page_viewers`, []);
    assert.deepEqual(await env.db.all`select views from page_views`, [{ views: 7 }]);
    assert.deepEqual(await env.db.all`select id from canvases where last_used_at > 0`, []);
    const { owner } = canvas.people;
    const usage = await manage(target, owner, "GET", `/api/canvases/${canvas.id}/usage`);
    assert.deepEqual([usage.status, usage.json.views], [200, null]);
    const { json } = await manage(target, owner, "GET", `/api/canvases?q=${canvas.slug}`);
    const [entry = assert.fail()] = (json as unknown as CanvasList).canvases;
    assert.deepEqual([entry.lastUsedAt, entry.people30], [null, null]);
  });

  it("what is counted is written when the service stops", async (t) => {
    const file = `${await temporaryDirectory(t)}/easel.db`;
    const stops: (() => Promise<unknown>)[] = [];
    const { target } = await startDev(
      { after: (end) => stops.push(end) },
      { SERVICE_DATABASE_URL: `sqlite:${file}` },
    );
    const canvas = await stage(target);
    await publish(target, canvas, { "index.html": "page" });
    await visit(target, canvas.slug, canvas.people.viewer);
    for (const stop of stops) await stop();
    const db = new DatabaseSync(file, { readOnly: true });
    t.after(() => db.close());
    const { views, people } = db.prepare("select views, people from page_views").get() ?? {};
    assert.deepEqual([views, people], [1, 1]);
  });
});
