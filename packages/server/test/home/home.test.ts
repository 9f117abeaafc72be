import assert from "node:assert/strict";
import { before, it } from "node:test";
import { amend, cast, manage, type Stage, stage } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import { send } from "@easel/conformance/http";
import type { Person } from "@easel/conformance/target";
import { onEngines } from "../support/engines.ts";
import { publish } from "../support/publish.ts";

/** The columns that determine the state of a canvas: times, the reason of disabling, and `draft`, which is 1 without a version. */
interface State {
  disabled?: number;
  reason?: string;
  archived?: number;
  revoked?: number;
  expired?: number;
  draft?: number;
}

interface Group {
  name: string;
  /** The text of each card of a canvas, with its slug replaced by the test's name for the canvas. */
  cards: string[];
  /** The names of the canvases whose cards are links. */
  links: string[];
  /** The links to other pages of the list: their URLs by their texts. */
  pages: Record<string, string>;
}

const textOf = (html: string) =>
  html
    .replace(/<[^<>]+>/g, " ")
    .replace(/\s+/g, " ")
    .trim();

await onEngines("the home page", (target, env) => {
  let people: Stage["people"];
  /** The names that the tests give to canvases, by slug. */
  const names = new Map<string, string>();
  before(async () => {
    // Otherwise the example canvases would be in the lists of everyone.
    await env.db.run`update canvases set discoverability = 'link_only'`;
    people = await cast(target);
  });

  async function make(name: string, setup: Parameters<typeof stage>[1] = {}): Promise<Stage> {
    const made = await stage(target, { people, ...setup });
    names.set(made.slug, name);
    await publish(target, made, { "index.html": "in" });
    return made;
  }
  const list = async (site: Stage, discoverability = "listed") => {
    const path = `/api/canvases/${site.id}`;
    const answer = await manage(target, site.people.owner, "PATCH", path, { discoverability });
    assert.equal(answer.status, 200, answer.text);
  };
  it("`/c` and `/c/` redirect to the home page", async () => {
    for (const path of ["/c", "/c/"]) {
      for (const headers of [[], people.owner.headers]) {
        const answer = await send(target.base, { method: "GET", path, headers });
        assert.deepEqual([answer.status, answer.headers.location], [302, "/"], path);
      }
    }
  });

  /** Sets the time of a canvas's last change, so that the order of lists is defined. */
  const changedAt = (site: Pick<Stage, "id">, at: number) =>
    env.db.run`update canvases set updated_at = ${at} where id = ${site.id}`;

  async function home(person: Person, query = ""): Promise<Group[]> {
    const { status, text } = await send(target.base, {
      method: "GET",
      path: `/${query}`,
      headers: person.headers,
    });
    assert.equal(status, 200, text);
    return [...text.matchAll(/<section aria-labelledby="(\w+)">([\s\S]*?)<\/section>/g)].map(
      ([, name = "", body = ""]) => {
        const nameIn = (card: string) =>
          [...names].find(([slug]) => card.includes(slug))?.[1] ?? assert.fail(card);
        const cards = [...body.matchAll(/<li>([\s\S]*?)<\/li>/g)].map(([, card = ""]) => card);
        return {
          name,
          cards: cards.map((card) => textOf(card).replace(/^Conformance \S+/, nameIn(card))),
          links: cards.filter((card) => card.includes("<a ")).map(nameIn),
          pages: Object.fromEntries(
            [...body.matchAll(/<a rel="\w+" href="([^"]+)">(\w+)<\/a>/g)].map(([, to = "", words = ""]) => [
              words,
              to.replaceAll("&amp;", "&"),
            ]),
          ),
        };
      },
    );
  }
  /** Returns the names of the canvases in each list of the home page. */
  const shown = async (person: Person, query = "") =>
    Object.fromEntries(
      (await home(person, query)).map(({ name, cards }) => [name, cards.map((card) => card.split(" ")[0])]),
    );

  it("a new user: no list, and a hint", async () => {
    const person = await target.signIn("fresh@example.com");
    assert.deepEqual(await home(person), []);
  });

  it("own canvases in every state, last changed first, with the state as text and a link where it can be opened", async () => {
    people = await cast(target);
    const reason = "Copied <from> elsewhere.";
    const states: [name: string, state: State, says: string][] = [
      ["Open", {}, ""],
      ["Disabled", { disabled: 1, reason }, "Disabled by an administrator: Copied &lt;from&gt; elsewhere. "],
      ["Unexplained", { disabled: 1 }, "Disabled by an administrator "],
      ["Archived", { archived: 1 }, "Archived "],
      ["Unpublished", { revoked: 1 }, "Unpublished "],
      ["Draft", { draft: 1 }, "Draft: nothing is published yet "],
      ["Expired", { expired: 1 }, "Expired: only its owner and editors can open it "],
    ];
    const day = Date.UTC(2026, 2, 7);
    for (const [index, [name, state]] of states.entries()) {
      const made = await make(name);
      await put(made, state);
      await changedAt(made, day - index);
    }
    const gone = await make("Gone");
    await manage(target, people.owner, "DELETE", `/api/canvases/${gone.id}`);

    const [mine, ...more] = await home(people.owner);
    assert.deepEqual(more, []);
    assert.equal(mine?.name, "mine");
    assert.deepEqual(
      mine.cards,
      states.map(([name, , says]) => `${name} ${says}Changed ${name === "Open" ? "7" : "6"} Mar 2026`),
    );
    assert.deepEqual(mine.links, ["Open", "Expired"]);

    const [theirs] = await home(people.editor);
    assert.deepEqual(
      theirs?.cards.map((card) => card.replace("· editor ", "")),
      mine.cards,
    );
    assert.deepEqual(theirs?.links, ["Open", "Expired"]);
    assert.deepEqual(await shown(people.viewer), { shared: ["Open"] });
    assert.deepEqual(await shown(people.stranger), {});
  });

  it("shared: by list, by team and by both once; not by whole_org alone", async () => {
    people = await cast(target);
    const { owner, stranger } = people;
    const team = await manage(target, owner, "POST", "/api/teams", { name: "T", members: [stranger.email] });
    const teams = [{ id: String(team.json.id), role: "viewer" as const }];
    const [byList, byTeam, byBoth] = [await make("ByList"), await make("ByTeam"), await make("ByBoth")];
    await amend(target, byList, { people: [{ email: stranger.email, role: "viewer" }] });
    await amend(target, byTeam, { teams });
    await amend(target, byBoth, {
      teams,
      people: [{ email: stranger.email, role: "editor" }],
      access: "whole_org",
    });
    await list(byBoth);
    const open = await make("Hidden", { access: "whole_org" });
    for (const [at, site] of [byList, byTeam, byBoth, open].entries()) await changedAt(site, 100 - at);
    assert.deepEqual(await shown(stranger), { shared: ["ByList", "ByTeam", "ByBoth"] });
    const [{ cards } = assert.fail()] = await home(stranger);
    assert.match(cards.join(), /ByBoth · editor/);
  });

  it("organisation: only canvases that are `listed` and `whole_org`; not own and not shared ones", async () => {
    people = await cast(target);
    const listed = await make("Listed", { access: "whole_org" });
    await make("Hidden", { access: "whole_org" });
    await list(listed);
    await list(await make("Hidden"));
    const { listed: found = [], ...others } = await shown(people.stranger);
    assert.deepEqual([found.includes("Listed"), found.includes("Hidden"), others], [true, false, {}]);
    assert.ok(!(await shown(people.owner)).listed?.includes("Listed"));
    assert.ok(!(await shown(people.viewer)).listed?.includes("Listed"));

    for (const state of ["archived", "disabled", "revoked", "expired"]) {
      await put(listed, { [state]: 1 });
      assert.ok(!(await shown(people.stranger)).listed?.includes("Listed"), state);
    }
    await put(listed, {});
    assert.ok((await shown(people.stranger)).listed?.includes("Listed"));
    await list(listed, "link_only");
    assert.ok(!(await shown(people.stranger)).listed?.includes("Listed"));
  });

  it("a guest: their canvas, and nothing of the organisation", async () => {
    const [inside, outside] = [await make("Inside"), await make("Outside", { access: "whole_org" })];
    await list(outside);
    const guest = await guestOf(target, inside, "guest@example.com");
    assert.deepEqual(await shown(guest), { shared: ["Inside"] });
  });

  it("pages of 24: every canvas once and in order; links keep the pages of the other lists", async () => {
    people = await cast(target);
    const { owner, editor } = people;
    const model = await make("Model");
    await copies(model, 59);
    const given = await make("Given", { people: { ...people, owner: editor, editor: owner } });
    await copies(given, 29);
    const all = async (group: string, from = "") => {
      const found: string[][] = [];
      for (let query = from; found.length < 5; ) {
        const page = (await home(owner, query)).find(({ name }) => name === group) ?? assert.fail(group);
        found.push(page.cards);
        if (page.pages.Older === undefined) return found;
        assert.ok(page.pages.Older.endsWith(`#${group}`));
        query = page.pages.Older.slice(1).replace(/#.*/, "");
      }
      return assert.fail("pages without an end");
    };
    const [mine, shared] = [await all("mine"), await all("shared")];
    assert.deepEqual(
      [mine.map(({ length }) => length), shared.map(({ length }) => length)],
      [
        [24, 24, 12],
        [24, 6],
      ],
    );
    const expected = (first: string, { id }: Stage, count: number) => {
      const copies = Array.from({ length: count }, (_, n) => ({ at: n >> 1, name: `copy-${n}-${id}` }));
      copies.sort((one, other) => other.at - one.at || (one.name < other.name ? 1 : -1));
      return [first, ...copies.map(({ name }) => name)];
    };
    const order = (pages: string[][]) => pages.flat().map((card) => card.split(" ")[0]);
    assert.deepEqual(order(mine), expected("Model", model, 59));
    assert.deepEqual(order(shared), expected("Given", given, 29));
    const [first] = await home(owner);
    const older = first?.pages.Older?.replace("#mine", "").slice(1) ?? "";
    const [second, besides] = await home(owner, older);
    assert.deepEqual([second?.cards, second?.pages.Newest], [mine[1], "/?#mine"]);
    assert.deepEqual(besides?.cards, shared[0]);
    const [stays, moved] = await home(owner, besides?.pages.Older?.replace("#shared", "").slice(1));
    assert.deepEqual([stays?.cards, moved?.cards], [mine[1], shared[1]]);
    assert.equal(moved?.pages.Newest, `/${older}#shared`);
  });

  for (const query of [
    "?mine=",
    "?mine=none",
    "?mine=1.u2",
    "?mine=0.u1.a",
    "?mine=2.u1.%00",
    "?mine=2.u99999999999999999.a",
    "?mine=a&mine=b",
  ]) {
    it(`${query}: the first page`, async () => {
      assert.deepEqual(await home(people.owner, query), await home(people.owner));
    });
  }

  it("a page after the last one is empty and links to the first", async () => {
    const [mine] = await home(people.owner, "?mine=9.u0.0");
    assert.deepEqual([mine?.cards, mine?.pages], [[], { Newest: "/?#mine" }]);
  });

  /** Puts a canvas into a state. Columns that the state does not name are reset. */
  async function put({ id }: Stage, state: State): Promise<void> {
    const {
      disabled = null,
      reason = null,
      archived = null,
      revoked = null,
      expired = null,
      draft = 0,
    } = state;
    await env.db.run`
      update canvases set disabled_at = ${disabled}, disabled_reason = ${reason}, archived_at = ${archived},
        revoked_at = ${revoked}, expires_at = ${expired},
        version_id = case when cast(${draft} as integer) = 1 then null else version_id end
      where id = ${id}`;
  }

  /** Creates copies of a canvas with its people list. Every two copies have the same time of change. */
  async function copies({ id }: Stage, count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const copy = `copy-${n}-${id}`;
      names.set(copy, copy);
      await env.db.run`
        insert into canvases (id, slug, title, owner_id, created_by, created_at, updated_at, version_id)
        select cast(${copy} as text), cast(${copy} as text), title, owner_id, owner_id, 1, cast(${n >> 1} as bigint), version_id
        from canvases where id = ${id}`;
      await env.db.run`
        insert into canvas_people (canvas_id, email, role)
        select cast(${copy} as text), email, role from canvas_people where canvas_id = ${id}`;
    }
  }
});
