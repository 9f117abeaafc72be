import assert from "node:assert/strict";
import { before, it } from "node:test";
import { disable } from "@easel/conformance/admin";
import { amend, cast, manage, type Stage, stage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import type { CanvasList, ListedCanvas } from "@easel/protocol/management";
import { sqlText } from "../../src/drivers/db/db.ts";
import { whole } from "../support/canvas.ts";
import { onEngines } from "../support/engines.ts";
import { publish } from "../support/publish.ts";

await onEngines("GET /api/canvases?list=", (target, env) => {
  let people: Stage["people"];
  before(async () => {
    // Otherwise the example canvases would be in the lists of everyone.
    await env.db.run`update canvases set discoverability = 'link_only'`;
    people = await cast(target);
  });

  type Who = keyof Stage["people"];
  const ask = (who: Who, query: Record<string, string>) =>
    manage(target, people[who], "GET", `/api/canvases?${new URLSearchParams(query)}`);
  async function page(who: Who, query: Record<string, string>): Promise<CanvasList> {
    const { status, json, text } = await ask(who, query);
    assert.equal(status, 200, text);
    const { canvases, nextCursor } = json as unknown as CanvasList;
    for (const { deletedAt, purgeAt, lastUsedAt, people30, ...canvas } of canvases)
      whole(canvas as unknown as Record<string, unknown>);
    return { canvases, nextCursor };
  }
  /** Returns the titles of all canvases of a list, read in pages of `limit`. */
  async function titles(who: Who, query: Record<string, string>, limit = 100): Promise<string[]> {
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const next: CanvasList = await page(who, { ...query, limit: String(limit), ...(cursor && { cursor }) });
      assert.ok(next.canvases.length <= limit);
      found.push(...next.canvases.map(({ title }) => title));
      cursor = next.nextCursor;
    } while (cursor !== null);
    return found;
  }

  const update = async ({ id }: { id: string }, body: object) => {
    const answer = await manage(target, people.owner, "PATCH", `/api/canvases/${id}`, body);
    assert.equal(answer.status, 200, answer.text);
  };
  /** Creates a canvas of the owner that is shared with the editor and the viewer, with a version. */
  async function make(title: string, setup: Parameters<typeof stage>[1] = {}): Promise<Stage> {
    const made = await stage(target, { people, ...setup });
    await publish(target, made, { "index.html": "in" });
    await update(made, { title });
    return made;
  }
  const STATES = ["published", "draft", "archived", "unpublished", "expired", "disabled"] as const;

  it("mine and shared: every state for the owner and editors, for viewers what they can open; state selects one", async () => {
    people = await cast(target);
    const made = new Map<string, Stage>();
    for (const state of STATES) {
      const site = state === "draft" ? await stage(target, { people }) : await make(state);
      if (state === "draft") await update(site, { title: state });
      made.set(state, site);
    }
    const of = (state: string) => made.get(state) ?? assert.fail(state);
    await update(of("archived"), { archived: true });
    await manage(target, people.owner, "POST", `/api/canvases/${of("unpublished").id}/unpublish`);
    await amend(target, of("expired"), { expiresAt: Date.now() + 60_000 });
    await env.db.run`update canvases set expires_at = ${Date.now() - 1} where id = ${of("expired").id}`;
    await disable(target, of("disabled"));
    const gone = await make("gone");
    await manage(target, people.owner, "DELETE", `/api/canvases/${gone.id}`);

    assert.deepEqual(new Set(await titles("owner", { list: "mine" })), new Set(STATES));
    assert.deepEqual(new Set(await titles("editor", { list: "shared" })), new Set(STATES));
    assert.deepEqual(await titles("viewer", { list: "shared" }), ["published"]);
    for (const [who, list] of [
      ["owner", "shared"],
      ["editor", "mine"],
      ["stranger", "shared"],
      ["stranger", "mine"],
      ["editor", "trash"],
    ] as const)
      assert.deepEqual(await titles(who, { list }), [], `${list} of ${who}`);
    for (const state of STATES) {
      assert.deepEqual(await titles("owner", { list: "mine", state }), [state]);
      assert.deepEqual(await titles("owner", { state }), [state]);
      assert.deepEqual(await titles("editor", { list: "shared", state }), [state]);
      assert.deepEqual(
        await titles("viewer", { list: "shared", state }),
        state === "published" ? [state] : [],
      );
      for (const { publicationStatus } of (await page("owner", { list: "mine", state })).canvases)
        assert.equal(publicationStatus, state);
    }
    const trash = await page("owner", { list: "trash" });
    assert.deepEqual(
      trash.canvases.map(({ title, slug, purgeAt = 0, deletedAt = 0 }) => [title, slug, purgeAt > deletedAt]),
      [["gone", gone.slug, true]],
    );
    assert.deepEqual(await page("owner", { deleted: "true" }), trash);
    assert.deepEqual(await page("owner", { deleted: "true", list: "trash" }), trash);
  });

  it("organisation: listed canvases of others that the caller can open, as for viewers; not those of the other lists", async () => {
    people = await cast(target);
    const listed = await make("Listed", { access: "whole_org" });
    await update(listed, { discoverability: "listed" });
    await make("Unlisted", { access: "whole_org" });
    const mine = async (who: Who, query = {}) =>
      (await titles(who, { list: "organisation", ...query })).filter((title) => /isted$/.test(title));
    assert.deepEqual(await mine("stranger"), ["Listed"]);
    for (const who of ["owner", "editor", "viewer"] as const) assert.deepEqual(await mine(who), [], who);
    assert.deepEqual(await mine("stranger", { state: "published" }), ["Listed"]);
    assert.deepEqual(await mine("stranger", { state: "draft" }), []);
    for (const sort of ["updated", "created", "title"])
      assert.deepEqual(await mine("stranger", { sort }), ["Listed"]);

    const { canvases } = await page("stranger", { list: "organisation", q: listed.slug });
    const [seen = assert.fail()] = canvases;
    assert.deepEqual(
      [seen.viewerRole, seen.people, seen.teams, seen.audienceSummary],
      ["viewer", [], [], { count: null, names: [] }],
    );
    for (const column of ["archived_at", "disabled_at", "revoked_at", "expires_at"] as const) {
      const set = (value: string) =>
        env.db.run(sqlText(`update canvases set ${column} = ${value} where id = ?`), listed.id);
      await set("1");
      assert.deepEqual(await mine("stranger"), [], column);
      await set("null");
    }
    await update(listed, { discoverability: "link_only" });
    assert.deepEqual(await mine("stranger"), []);
  });

  it("tag: exactly the tag, whatever characters it has", async () => {
    people = await cast(target);
    const tags: Record<string, string[]> = {
      One: ["a", "b,c"],
      Two: ["b", ",", 'q"uote'],
      Three: ["a,", ",b", "A"],
      Four: ["%", "\\", "é"],
      None: [],
    };
    for (const [title, own] of Object.entries(tags))
      await manage(target, people.owner, "POST", "/api/canvases", { title, tags: own });
    for (const tag of [...new Set(Object.values(tags).flat()), "c", "none", "]", "\u0301"]) {
      const expected = Object.keys(tags).filter((title) => tags[title]?.includes(tag));
      assert.deepEqual(await titles("owner", { list: "mine", tag, sort: "title" }), expected.toSorted(), tag);
    }
    assert.deepEqual(await titles("owner", { tag: "a", q: "tWO" }), []);
    assert.deepEqual(await titles("owner", { tag: "b", q: "tWO" }), ["Two"]);
  });

  it("sort: by title without the case of A to Z, then by code point; by change; by creation; exact in pages of any size", async () => {
    people = await cast(target);
    const given = [
      "zebra",
      "Apple",
      "apple",
      "Éclair",
      "banana",
      "éclair",
      "_x",
      "Ωmega",
      "Banana",
      "10",
      "9",
      "😀",
      "Ａ",
    ];
    const ids = new Map<string, string>();
    const time = (index: number) => Date.UTC(2026, 0, 1) + ((index * 7) % 5);
    for (const [index, title] of given.entries()) {
      const made = await manage(target, people.owner, "POST", "/api/canvases", {
        title: `${title}`,
        slug: `sort-${index}-${Date.now()}`,
      });
      ids.set(title, String(made.json.id));
      // Two canvases each have the same time of change.
      await env.db.run`update canvases set updated_at = ${time(index)} where id = ${String(made.json.id)}`;
    }
    const id = (title: string) => ids.get(title) ?? "";
    const lower = (title: string) => title.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    const orders = {
      created: given.toReversed(),
      updated: given.toSorted((one, other) => {
        const at = (title: string) => time(given.indexOf(title));
        return at(other) - at(one) || (id(one) < id(other) ? 1 : -1);
      }),
      title: given.toSorted(
        (one, other) =>
          Buffer.compare(Buffer.from(lower(one)), Buffer.from(lower(other))) ||
          (id(one) < id(other) ? -1 : 1),
      ),
    };
    assert.deepEqual(orders.title.slice(0, 6), ["10", "9", "_x", "Apple", "apple", "banana"]);
    for (const [sort, expected] of Object.entries(orders)) {
      for (const limit of [1, 2, 3, given.length - 1, given.length, 100])
        assert.deepEqual(
          await titles("owner", { list: "mine", sort }, limit),
          expected,
          `${sort} in pages of ${limit}`,
        );
      assert.deepEqual(await titles("owner", { sort }, 4), expected, `${sort} without a list`);
    }
    assert.deepEqual(await titles("owner", { list: "mine" }), orders.updated);
    assert.deepEqual(await titles("owner", {}), orders.created);

    for (const title of given) {
      const canvas = { id: id(title) };
      await manage(target, people.owner, "PUT", `/api/canvases/${canvas.id}/sharing`, {
        people: [{ email: people.editor.email, role: "editor" }],
      });
      await env.db
        .run`update canvases set updated_at = ${time(given.indexOf(title))} where id = ${canvas.id}`;
    }
    for (const [sort, expected] of Object.entries(orders))
      assert.deepEqual(await titles("editor", { list: "shared", sort }, 5), expected, `shared by ${sort}`);
    await env.db
      .run`update canvases set deleted_at = ${Date.now()} where owner_id = (select id from users where email = ${people.owner.email})`;
    for (const [sort, expected] of Object.entries(orders))
      assert.deepEqual(await titles("owner", { list: "trash", sort }, 5), expected, `trash by ${sort}`);
  });

  it("a page after a change: canvases that were not changed are there once", async () => {
    people = await cast(target);
    const made: ListedCanvas[] = [];
    for (let n = 0; n < 9; n++) {
      const { json } = await manage(target, people.owner, "POST", "/api/canvases", { title: `T ${n}` });
      made.push(json as unknown as ListedCanvas);
    }
    const first = await page("owner", { list: "mine", limit: "4" });
    assert.deepEqual(
      first.canvases.map(({ title }) => title),
      ["T 8", "T 7", "T 6", "T 5"],
    );
    const [last = assert.fail()] = first.canvases.slice(-1);
    await update(last, { tags: ["changed"] });
    await manage(target, people.owner, "DELETE", `/api/canvases/${made[3]?.id}`);
    await manage(target, people.owner, "POST", "/api/canvases", { title: "New" });
    const second = await page("owner", { list: "mine", limit: "100", cursor: first.nextCursor ?? "" });
    assert.deepEqual(
      second.canvases.map(({ title }) => title),
      ["T 4", "T 2", "T 1", "T 0"],
    );
  });

  it("400 for unknown values, cursors of another order, and `deleted` with another list", async () => {
    for (const [query, field] of [
      [{ list: "all" }, "list"],
      [{ state: "live" }, "state"],
      [{ sort: "size" }, "sort"],
      [{ tag: "a\0b" }, "tag"],
      [{ list: "mine", cursor: "0123" }, "cursor"],
      [{ list: "mine", cursor: "u1.0123" }, undefined],
      [{ list: "mine", cursor: "c1.0123" }, "cursor"],
      [{ list: "mine", sort: "used", cursor: "v1.0123" }, undefined],
      [{ list: "mine", sort: "used", cursor: "u1.0123" }, "cursor"],
      [{ list: "mine", cursor: "u.0123" }, "cursor"],
      [{ list: "mine", cursor: "u1.a b" }, "cursor"],
      [{ list: "mine", cursor: "u1.a\0" }, "cursor"],
      [{ list: "mine", cursor: "u9999999999999999.a" }, "cursor"],
      [{ sort: "title", cursor: "tMDEy.0123" }, undefined],
      [{ sort: "title", cursor: "t.0123" }, undefined],
      [{ sort: "title", cursor: "tAAAA.0123" }, "cursor"],
      [{ sort: "title", cursor: "u1.0123" }, "cursor"],
      [{ sort: "title", cursor: "0123" }, "cursor"],
      [{ sort: "title", cursor: `t${"a".repeat(2_000)}.0123` }, "cursor"],
      [{ sort: "created", cursor: "c1.0123" }, undefined],
      [{ sort: "created", cursor: "0123" }, "cursor"],
      [{ cursor: "0123" }, undefined],
      [{ cursor: "u1.0123" }, "cursor"],
      [{ list: "mine", deleted: "true" }, "list"],
    ] as const) {
      const answer = await ask("owner", query);
      if (field === undefined) assert.equal(answer.status, 200, answer.text);
      else {
        refused(answer, 400, "INVALID_BODY");
        assert.equal(answer.json.field, field, JSON.stringify(query));
      }
    }
    assert.deepEqual(await titles("stranger", { list: "", state: "", sort: "", tag: "", cursor: "" }), []);
  });
});
