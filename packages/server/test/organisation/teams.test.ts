import assert from "node:assert/strict";
import { before, it } from "node:test";
import { amend, type Cast, cast, manage, type Stage, stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import { asKeys } from "../../src/drivers/db/db.ts";
import type { Env } from "../../src/env.ts";
import { updateTeam } from "../../src/organisation/teams.ts";
import { changedDb, runEach } from "../support/changed-db.ts";
import { JSON_TYPE } from "../support/client.ts";
import { onEngines } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";

interface Team {
  id: string;
  name: string;
  members: string[];
  createdAt: number;
  createdBy: string;
}

const crowd = (count: number) =>
  Array.from({ length: count }, (_, index) => `p${String(index).padStart(4, "0")}@example.com`);

/** Invalid bodies of a new team. All but the first four are also invalid for PATCH. */
const BAD_BODIES: [name: string, body: unknown][] = [
  ["no name", {}],
  ["a name that is null", { name: null, members: [] }],
  ["a list", []],
  ["nothing", null],
  ["an empty name", { name: "" }],
  ["a name of spaces", { name: " \u00a0 " }],
  ["a name of 101 characters", { name: "n".repeat(101) }],
  ["a name with a NUL", { name: "a\0b" }],
  ["a name with a line break", { name: "a\nb" }],
  ["a name that is a list", { name: ["a"] }],
  ["members that are text", { name: "a", members: "a@example.com" }],
  ["members that are null", { name: "a", members: null }],
  ["a member that is null", { name: "a", members: [null] }],
  ["a member that is a person", { name: "a", members: [{ email: "a@example.com" }] }],
  ["a member without an address", { name: "a", members: ["ada"] }],
  ["two addresses in one", { name: "a", members: ["a@example.com b@example.com"] }],
  ["the same member twice", { name: "a", members: ["a@example.com", "a@example.com"] }],
  ["the same member in other letters", { name: "a", members: ["a@example.com", " A@Example.com"] }],
  ["1,001 members", { name: "a", members: crowd(1001) }],
  ["one bad member among good ones", { name: "a", members: [...crowd(5), "@"] }],
  ["an id of one's own choice", { name: "a", id: "mine" }],
  ["a maker", { name: "a", createdBy: "someone" }],
  ["a role", { name: "a", role: "editor" }],
];

await onEngines("teams", (target, env) => {
  let people: Cast;
  before(async () => {
    people = await cast(target);
  });
  const idOf = async (person: Person) => String((await manage(target, person, "GET", "/api/me")).json.id);
  const make = async (maker: Person, members: Person[] = [], name = "A team") => {
    const body = { name, members: members.map(({ email }) => email) };
    const answer = await manage(target, maker, "POST", "/api/teams", body);
    assert.equal(answer.status, 201, answer.text);
    return answer.json as unknown as Team;
  };
  const list = async (person: Person) =>
    (await manage(target, person, "GET", "/api/teams")).json.teams as Team[];
  const patch = (person: Person, { id }: { id: string }, body: object) =>
    manage(target, person, "PATCH", `/api/teams/${id}`, body);
  const remove = (person: Person, { id }: { id: string }) =>
    manage(target, person, "DELETE", `/api/teams/${id}`);
  const role = async (site: Stage, person: Person) => {
    const answer = await manage(target, person, "GET", `/v1/c/${site.slug}/me`);
    return answer.status === 200 ? answer.json.canvasRole : answer.json.code;
  };

  it("POST returns the team: 201", async () => {
    const from = Date.now();
    const { id, createdAt, ...team } = await make(people.owner, [people.viewer, people.editor], "  Tea  ");
    assert.match(id, /^[A-Za-z0-9-]{1,128}$/);
    assert.ok(createdAt >= from && createdAt <= Date.now());
    assert.deepEqual(team, {
      name: "Tea",
      members: [people.editor.email, people.viewer.email].sort(),
      createdBy: await idOf(people.owner),
      externalGroup: null,
    });
  });

  it("the list has the teams that the caller created or is in, newest first, and no others", async () => {
    const [maker, member, other] = await Promise.all(
      ["maker", "member", "other"].map((who) => target.signIn(freshEmail(who))),
    );
    assert.ok(maker && member && other);
    const first = await make(maker, [member]);
    const second = await make(member, []);
    const third = await make(maker, [member, maker]);
    assert.deepEqual(await list(member), [third, second, first]);
    assert.deepEqual(await list(maker), [third, first]);
    assert.deepEqual(await list(other), []);
    unauthenticated(await manage(target, null, "GET", "/api/teams"));
  });

  it("one team has the names of those who have signed in, its creator, and the number of canvases shared with it", async () => {
    const maker = await target.signIn(freshEmail("maker"), "Ada");
    const named = await target.signIn(freshEmail("named"), "\u202e<b>Bo</b>");
    const unknown = freshEmail("unknown");
    const { json: team } = await manage(target, maker, "POST", "/api/teams", {
      name: "Tea",
      members: [named.email, unknown],
    });
    const [site, gone] = [await stage(target), await stage(target)];
    for (const { id, people } of [site, gone])
      await env.db.run`insert into canvas_teams (canvas_id, team_id, role)
        select ${id}, cast(${String(team.id)} as text), 'viewer' from users where email = ${people.owner.email}`;
    await env.db.run`update canvases set deleted_at = ${Date.now()} where id = ${gone.id}`;
    for (const reader of [maker, named]) {
      const { json } = await manage(target, reader, "GET", `/api/teams/${team.id}`);
      assert.deepEqual(json, {
        ...team,
        creator: { email: maker.email, name: "Ada" },
        people: [
          { email: named.email, name: "\u202e<b>Bo</b>" },
          { email: unknown, name: null },
        ].sort((one, other) => (one.email < other.email ? -1 : 1)),
        canvases: 1,
      });
    }
  });

  it("members are added and removed while others change the list", async () => {
    const { owner, viewer, editor } = people;
    const team = await make(owner, [viewer]);
    const changes = [
      { add: [editor.email, viewer.email] },
      { remove: [viewer.email, "none@example.com"] },
      { add: ["a@example.com"], name: "Coffee" },
    ];
    for (const { status } of await Promise.all(changes.map((body) => patch(owner, team, body))))
      assert.equal(status, 200);
    const { json } = await manage(target, owner, "GET", `/api/teams/${team.id}`);
    const members = json.members as string[];
    assert.equal(json.name, "Coffee");
    assert.deepEqual(
      members.filter((email) => email !== viewer.email),
      ["a@example.com", editor.email].sort(),
    );
    refused(await patch(people.editor, team, { add: [viewer.email] }), 403, "PERMISSION_DENIED");
    refused(await patch(owner, team, { members: [], add: [viewer.email] }), 400, "INVALID_BODY");
    refused(await patch(owner, team, { members: [], remove: [viewer.email] }), 400, "INVALID_BODY");
    refused(await patch(owner, team, { add: ["ada"] }), 400, "INVALID_BODY");
  });

  it("a team has at most 1,000 members, however they are added", async () => {
    const { owner } = people;
    const team = await make(owner);
    assert.equal((await patch(owner, team, { members: crowd(999) })).status, 200);
    const answers = await Promise.all(
      ["one@example.com", "two@example.com"].map((email) => patch(owner, team, { add: [email] })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    for (const answer of answers) if (answer.status === 409) refused(answer, 409, "KEY_LIMIT");
    const { json } = await manage(target, owner, "GET", `/api/teams/${team.id}`);
    assert.equal((json.members as string[]).length, 1000);
    const swapped = await patch(owner, team, { add: ["three@example.com"], remove: ["p0001@example.com"] });
    assert.equal(swapped.status, 200, swapped.text);
  });

  it("a member leaves, and loses the roles that the team gave; nobody leaves for others", async () => {
    const { owner, viewer, editor, stranger } = people;
    const team = await make(owner, [viewer, editor]);
    const site = await stage(target, { people });
    await amend(target, site, { people: [], teams: [{ id: team.id, role: "editor" }] });
    const leave = (person: Person) => manage(target, person, "DELETE", `/api/teams/${team.id}/membership`);
    assert.equal(await role(site, viewer), "editor");
    for (const person of [owner, stranger]) refused(await leave(person), 404, "NOT_FOUND");
    assert.equal((await leave(viewer)).status, 204);
    assert.equal(await role(site, viewer), "OWNER_ONLY");
    assert.equal(await role(site, editor), "editor");
    refused(await leave(viewer), 404, "NOT_FOUND");
    refused(await manage(target, viewer, "GET", `/api/teams/${team.id}`), 404, "NOT_FOUND");
    const { json } = await manage(target, owner, "GET", `/api/teams/${team.id}`);
    assert.deepEqual(json.members, [editor.email]);
  });

  it("members are e-mail addresses in any letter case, also of people who have never signed in", async () => {
    const address = freshEmail("later");
    const { json } = await manage(target, people.owner, "POST", "/api/teams", {
      name: "Later",
      members: [` ${address.toUpperCase().replace(/@.*/, "@EXAMPLE.com")} `],
    });
    assert.deepEqual(json.members, [address]);
    assert.deepEqual(
      (await list(await target.signIn(address))).map(({ id }) => id),
      [json.id],
    );
  });

  it("GET of one team: for its creator and its members; 404 for everyone else and for unknown ids", async () => {
    const { id, ...team } = await make(people.owner, [people.viewer, people.editor]);
    const read = (person: Person | null, which = id) => manage(target, person, "GET", `/api/teams/${which}`);
    for (const person of [people.owner, people.viewer]) {
      const answer = await read(person);
      const { creator: _, people: __, canvases: ___, ...fields } = answer.json;
      assert.deepEqual([answer.status, fields], [200, { id, ...team }]);
    }
    refused(await read(people.stranger), 404, "NOT_FOUND");
    for (const which of ["none", "%00", "a".repeat(5000)]) {
      refused(await read(people.owner, which), 404, "NOT_FOUND");
    }
    unauthenticated(await read(null));
  });

  it("pages of teams: each once, newest first; `q` filters by name", async () => {
    const maker = await target.signIn(freshEmail("pages"));
    for (const name of ["Tea", "Coffee 100%", "tea room"]) await make(maker, [], name);
    const page = async (query: string) => {
      const { status, text, json } = await manage(target, maker, "GET", `/api/teams${query}`);
      assert.equal(status, 200, text);
      assert.deepEqual(Object.keys(json).sort(), ["nextCursor", "teams"]);
      return { names: (json.teams as Team[]).map(({ name }) => name), next: json.nextCursor };
    };
    const { names, next } = await page("?limit=2");
    assert.deepEqual(names, ["tea room", "Coffee 100%"]);
    assert.deepEqual(await page(`?limit=2&cursor=${next}`), { names: ["Tea"], next: null });
    assert.deepEqual((await page("?q=TEA")).names, ["tea room", "Tea"]);
    assert.deepEqual((await page("?q=%25")).names, ["Coffee 100%"]);
    assert.deepEqual((await page("?limit=0")).names, ["tea room"]);
    refused(await manage(target, maker, "GET", "/api/teams?cursor=%00"), 400, "INVALID_BODY");
  });

  it("a page ends before its teams have more than 10,000 members together", async () => {
    const maker = await target.signIn(freshEmail("large"));
    const made = [];
    for (let n = 0; n < 12; n++) {
      const { id } = await make(maker, []);
      await env.db.run`
        insert into team_members (team_id, email) select cast(${id} as text), key from json_each(${asKeys(crowd(1000))})`;
      made.unshift(id);
    }
    const first = (await manage(target, maker, "GET", "/api/teams")).json;
    const second = (await manage(target, maker, "GET", `/api/teams?cursor=${first.nextCursor}`)).json;
    const [one, other] = [first.teams as Team[], second.teams as Team[]];
    assert.deepEqual([one.length, other.length, second.nextCursor], [10, 2, null]);
    assert.deepEqual(
      [...one, ...other].map(({ id }) => id),
      made,
    );
    for (const { members } of one) assert.deepEqual(members, crowd(1000));
  });

  it("200 teams a user, also by concurrent requests, then 409 KEY_LIMIT; deleting one makes room", async () => {
    const maker = await target.signIn(freshEmail("many"));
    const id = await idOf(maker);
    const made = await make(maker);
    for (let n = 0; n < 197; n++) {
      await env.db
        .run`insert into teams (id, name, created_by, created_at) values (${`${n}-${id}`}, 'T', ${id}, 1)`;
    }
    const create = () => manage(target, maker, "POST", "/api/teams", { name: "A", members: crowd(2) });
    const statuses = (await Promise.all([create(), create(), create(), create()])).map(
      ({ status }) => status,
    );
    assert.deepEqual(statuses.toSorted(), [201, 201, 409, 409]);
    refused(await create(), 409, "KEY_LIMIT");
    const count = await env.db.get<{
      teams: number;
    }>`select count(*) as teams from teams where created_by = ${id}`;
    assert.equal(count?.teams, 200);
    await remove(maker, made);
    assert.equal((await create()).status, 201);
  });

  it("a change of members does not rewrite members who stay", async () => {
    const { id } = await make(people.owner);
    let changed: number[] = [];
    const batch: Env["db"]["batch"] = async (steps) => {
      changed = await runEach(env.db, steps);
      return "done";
    };
    const noting = { ...env, db: changedDb(env.db, { batch }) };
    const steps: [members: string[], removed: number, added: number][] = [
      [crowd(1000), 0, 1000],
      [crowd(1000).reverse(), 0, 0],
      [[...crowd(999), "new@example.com"], 1, 1],
      [[], 1000, 0],
    ];
    for (const [members, removed, added] of steps) {
      assert.equal(await updateTeam(id, { members }, null, noting), "done");
      assert.deepEqual(changed, [1, 1, removed, added]);
    }
  });

  it("the largest team can be created and changed", async () => {
    const large = await make(
      people.owner,
      crowd(1000).map((email) => ({ email, name: "", headers: [] })),
    );
    assert.deepEqual(large.members, crowd(1000));
    const answer = await patch(people.owner, large, { members: crowd(999) });
    assert.equal((answer.json.members as string[]).length, 999);
  });

  for (const [name, body] of BAD_BODIES) {
    it(`${name}: 400 INVALID_BODY, and nothing is created or changed`, async () => {
      const team = await make(people.owner, [people.viewer]);
      const previous = await list(people.owner);
      refused(await manage(target, people.owner, "POST", "/api/teams", body as object), 400, "INVALID_BODY");
      if (JSON.stringify(body) !== "{}") {
        const headers = [...people.owner.headers, JSON_TYPE];
        const path = `/api/teams/${team.id}`;
        const sent = { method: "PATCH", path, headers, body: JSON.stringify(body) };
        refused(await send(target.base, sent), 400, "INVALID_BODY");
      }
      assert.deepEqual(await list(people.owner), previous);
    });
  }

  it("PATCH: omitted fields stay", async () => {
    const team = await make(people.owner, [people.viewer]);
    const steps: [object, Partial<Team>][] = [
      [{}, {}],
      [{ name: "Other" }, { name: "Other" }],
      [{ members: [people.editor.email] }, { members: [people.editor.email] }],
      [{ members: [] }, { members: [] }],
      [
        { name: "Both", members: [people.viewer.email] },
        { name: "Both", members: [people.viewer.email] },
      ],
    ];
    let expected = team;
    for (const [body, change] of steps) {
      expected = { ...expected, ...change };
      const answer = await patch(people.owner, team, body);
      assert.deepEqual([answer.status, answer.json], [200, { ...expected }], answer.text);
    }
  });

  it("only the creator changes it: 403 for members, 404 for everyone else", async () => {
    const team = await make(people.owner, [people.viewer]);
    const admin = await target.signIn(target.admin);
    for (const [person, status, code] of [
      [people.viewer, 403, "PERMISSION_DENIED"],
      [people.stranger, 404, "NOT_FOUND"],
      [admin, 404, "NOT_FOUND"],
    ] as const) {
      refused(await patch(person, team, { name: "Mine" }), status, code);
      refused(await remove(person, team), status, code);
    }
    assert.equal((await list(people.owner))[0]?.name, "A team");
    for (const id of ["none", "%00", "%27", "constructor", "a".repeat(5000)]) {
      refused(await patch(people.owner, { id }, { name: "None" }), 404, "NOT_FOUND");
      refused(await remove(people.owner, { id }), 404, "NOT_FOUND");
    }
  });

  it("a removed member gets 404; the creator need not be a member", async () => {
    const team = await make(people.owner, [people.stranger]);
    assert.ok((await list(people.stranger)).some(({ id }) => id === team.id));
    await patch(people.owner, team, { members: [] });
    assert.ok(!(await list(people.stranger)).some(({ id }) => id === team.id));
    refused(await patch(people.stranger, team, { name: "Mine" }), 404, "NOT_FOUND");
    assert.ok((await list(people.owner)).some(({ id }) => id === team.id));
  });

  it("joining, leaving and deleting a team change roles at the next request", async () => {
    const site = await stage(target, { people });
    await publish(target, site, { "index.html": "home" });
    const { stranger } = people;
    const team = await make(people.owner, []);
    await amend(target, site, { teams: [{ id: team.id, role: "viewer" }] });
    assert.equal(await role(site, stranger), "OWNER_ONLY");
    await patch(people.owner, team, { members: [stranger.email] });
    assert.equal(await role(site, stranger), "viewer");
    assert.equal((await visit(target, site.slug, stranger)).text, "home");
    await amend(target, site, { teams: [{ id: team.id, role: "editor" }] });
    assert.equal(await role(site, stranger), "editor");
    const edit = await manage(target, stranger, "PATCH", `/api/canvases/${site.id}`, { title: "By a team" });
    assert.deepEqual([edit.status, edit.json.viewerRole], [200, "editor"]);
    await patch(people.owner, team, { members: [] });
    assert.equal(await role(site, stranger), "OWNER_ONLY");
    refused(await manage(target, stranger, "GET", `/api/canvases/${site.id}`), 404, "NOT_FOUND");
    await patch(people.owner, team, { members: [stranger.email] });
    const gone = await remove(people.owner, team);
    assert.deepEqual([gone.status, gone.text], [204, ""]);
    assert.equal(await role(site, stranger), "OWNER_ONLY");
    const { json } = await manage(target, people.owner, "GET", `/api/canvases/${site.id}`);
    assert.deepEqual(json.teams, []);
    refused(await remove(people.owner, team), 404, "NOT_FOUND");
  });

  it("of several roles by list and teams the strongest counts", async () => {
    const site = await stage(target, { people });
    const [viewers, editors] = [
      await make(people.owner, [people.viewer]),
      await make(people.owner, [people.viewer]),
    ];
    const teams = [
      { id: viewers.id, role: "viewer" as const },
      { id: editors.id, role: "editor" as const },
    ];
    await amend(target, site, { teams });
    assert.equal(await role(site, people.viewer), "editor");
    await amend(target, site, {
      teams: teams.slice(0, 1),
      people: [{ email: people.viewer.email, role: "editor" }],
    });
    assert.equal(await role(site, people.viewer), "editor");
    await amend(target, site, { people: [] });
    assert.equal(await role(site, people.viewer), "viewer");
    await patch(people.owner, viewers, { members: [people.owner.email] });
    assert.equal(await role(site, people.owner), "owner");
  });

  it("a canvas shared with a team is in its members' lists, once", async () => {
    const member = await target.signIn(freshEmail("member"));
    const site = await stage(target, { people });
    const teams = await Promise.all([make(people.owner, [member]), make(people.owner, [member])]);
    const roles = teams.map(({ id }) => ({ id, role: "viewer" as const }));
    await amend(target, site, { teams: roles, people: [{ email: member.email, role: "viewer" }] });
    const { json } = await manage(target, member, "GET", "/api/canvases");
    const canvases = json.canvases as { id: string; teams: unknown[]; people: unknown[] }[];
    assert.deepEqual(
      canvases.map(({ id, teams, people }) => [id, teams, people]),
      [[site.id, [], []]],
    );
  });

  it("after concurrent changes the team equals one of them, and no request fails", async () => {
    const team = await make(people.owner, []);
    const lists = [crowd(40), crowd(3), [], crowd(20), [people.viewer.email]].map((each) => each.toSorted());
    const answers = await Promise.all(lists.map((members) => patch(people.owner, team, { members })));
    assert.deepEqual(
      answers.map(({ status }) => status),
      lists.map(() => 200),
    );
    const { members } = (await list(people.owner)).find(({ id }) => id === team.id) ?? {};
    assert.ok(lists.some((each) => JSON.stringify(each) === JSON.stringify(members)));
  });

  it("concurrent change and deletion: 200 with a whole team, or 404", async () => {
    for (let rounds = 0; rounds < 6; rounds++) {
      const team = await make(people.owner, [people.viewer]);
      const change = () => patch(people.owner, team, { members: crowd(10) });
      const answers = await Promise.all([change(), remove(people.owner, team), change(), change()]);
      for (const [index, answer] of answers.entries()) {
        assert.ok([index === 1 ? 204 : 200, 404].includes(answer.status), `${answer.status} ${answer.text}`);
        if (answer.status === 200) assert.equal(answer.json.id, team.id);
        if (answer.status === 404) refused(answer, 404, "NOT_FOUND");
      }
      assert.equal(await env.db.get`select 1 as one from team_members where team_id = ${team.id}`, undefined);
    }
  });

  it("concurrent sharing and deletion: 200 or 400, and no canvas keeps the team", async () => {
    const site = await stage(target, { people });
    for (let rounds = 0; rounds < 6; rounds++) {
      const team = await make(people.owner, [people.viewer]);
      const path = `/api/canvases/${site.id}/sharing`;
      const body = { teams: [{ id: team.id, role: "viewer" }] };
      const [gone, ...shared] = await Promise.all([
        remove(people.owner, team),
        ...Array.from({ length: 3 }, () => manage(target, people.owner, "PUT", path, body)),
      ]);
      assert.equal(gone?.status, 204, gone?.text);
      for (const answer of shared) assert.ok([200, 400].includes(answer.status), answer.text);
      const { json } = await manage(target, people.owner, "GET", `/api/canvases/${site.id}`);
      assert.deepEqual(json.teams, []);
    }
  });
});
