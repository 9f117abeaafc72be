import assert from "node:assert/strict";
import { before, it } from "node:test";
import { amend, cast, manage, type Stage, stage } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import { refused } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import type { FoundPeople } from "@easel/protocol/management";
import { onEngines } from "../support/engines.ts";
import type { TestEnv } from "../support/test-env.ts";

const searcher =
  (target: Parameters<typeof manage>[0]) =>
  async (person: Person, q: string, canvas?: string): Promise<string[]> => {
    const query = new URLSearchParams({ q, ...(canvas !== undefined && { canvas }) });
    const { status, json, text } = await manage(target, person, "GET", `/api/people?${query}`);
    assert.equal(status, 200, text);
    const { people } = json as unknown as FoundPeople;
    for (const each of people) assert.deepEqual(Object.keys(each).sort(), ["avatarUrl", "email", "name"]);
    return people.map(({ email }) => email);
  };

const rename = (env: TestEnv, email: string, name: string) =>
  env.db.run`update users set name = ${name} where email = ${email}`;

await onEngines("GET /api/people", (target, env) => {
  const search = searcher(target);
  let me: Person;
  const [lovelace, byron, umlaut] = ["zz.ada@one.test", "zz.anne@two.test", "zz.ozil@one.test"];
  before(async () => {
    me = await target.signIn("zz.me@one.test");
    for (const [email, name] of [
      [lovelace, 'Ada "King" Lovelace'],
      [byron, "Anne-Isabella Noel  Byron \\"],
      [umlaut, "Mesut Özil 😀"],
    ] as const) {
      await target.signIn(email);
      await rename(env, email, name);
    }
  });

  const found: [q: string, emails: () => string[]][] = [
    ["love", () => [lovelace]],
    ["LOVELACE", () => [lovelace]],
    ["ovelace", () => []],
    ["zz.ada@one.te", () => [lovelace]],
    ["ada@one", () => []],
    ["  ada   love ", () => [lovelace]],
    ["love ada", () => [lovelace]],
    ["ada byron", () => []],
    ['"king', () => [lovelace]],
    ["anne-isa", () => [byron]],
    ["byron \\", () => [byron]],
    ["özil", () => [umlaut]],
    ["ÖZ", () => [umlaut]],
    ["😀", () => [umlaut]],
    ["zz.ada@ zz.an", () => []],
    ["%", () => []],
    ["lovelace_", () => []],
    ["", () => []],
    ["   ", () => []],
    ["zz.me", () => []],
    ["zz.", () => [lovelace, byron, umlaut]],
    ["a a a a a a a love", () => [lovelace]],
  ];
  for (const [q, emails] of found) {
    it(`q=${q}: ${emails().join(", ") || "nobody"}`, async () =>
      assert.deepEqual(await search(me, q), emails()));
  }

  it("without q: nobody; a NUL: 400", async () => {
    const { json } = await manage(target, me, "GET", "/api/people");
    assert.deepEqual(json, { people: [] });
    refused(await manage(target, me, "GET", "/api/people?q=%00"), 400, "INVALID_BODY");
  });

  it("a new name counts at once, and the former one no more", async () => {
    const email = "zz.renamed@one.test";
    await target.signIn(email);
    assert.deepEqual(await search(me, "zz.renam"), [email]);
    await rename(env, email, "Qwerty Uiop");
    assert.deepEqual(await search(me, "qwer"), [email]);
    assert.deepEqual(await search(me, "uiop qwerty"), [email]);
    await rename(env, email, "Asdfgh");
    assert.deepEqual(await search(me, "qwer"), []);
    assert.deepEqual(await search(me, "asdf"), [email]);
    assert.deepEqual(await search(me, "zz.renamed"), [email]);
  });

  it("never deactivated people, and never guests", async () => {
    const email = "zz.leaver@one.test";
    await target.signIn(email);
    assert.deepEqual(await search(me, "zz.leaver"), [email]);
    const row = await env.db.get<{ id: string }>`select id from users where email = ${email}`;
    const admin = await target.signIn(target.admin);
    await manage(target, admin, "PATCH", `/api/admin/users/${row?.id}`, { deactivated: true });
    assert.deepEqual(await search(me, "zz.leaver"), []);
    const site = await stage(target, { people: { ...(await cast(target)), owner: me } });
    const guest = await guestOf(target, site, "zz.invited@one.test");
    assert.deepEqual(await search(me, "zz.invited"), []);
    refused(await manage(target, guest, "GET", "/api/people?q=zz"), 403, "PERMISSION_DENIED");
  });

  it("at most 10, sorted by the word that the search begins, each person once", async () => {
    const emails = Array.from({ length: 14 }, (_, n) => `many.${String.fromCharCode(97 + n)}@one.test`);
    for (const email of emails) {
      await target.signIn(email);
      await rename(env, email, `Many Manya ${email.split("@")[0]}`);
    }
    assert.deepEqual(await search(me, "many."), emails.slice(0, 10));
    const all = await search(me, "many");
    assert.deepEqual([all.length, new Set(all).size], [10, 10]);
  });

  it("canvas: leaves out its owner and the people it is shared with; for owners and editors alone", async () => {
    const people = await cast(target);
    const site = await stage(target, { people });
    const names = ["owner", "editor", "viewer", "stranger"] as const;
    for (const who of names) await rename(env, people[who].email, `Canvasser ${who}`);
    const seen = async (who: keyof Stage["people"]) =>
      new Set(await search(people[who], "canvasser", site.id));
    for (const who of ["owner", "editor"] as const)
      assert.deepEqual(await seen(who), new Set([people.stranger.email]), who);
    const ask = (who: keyof Stage["people"], canvas: string) =>
      manage(target, people[who], "GET", `/api/people?q=canvasser&canvas=${canvas}`);
    refused(await ask("viewer", site.id), 403, "PERMISSION_DENIED");
    refused(await ask("stranger", site.id), 404, "NOT_FOUND");
    for (const none of ["none", "a%20b", "x".repeat(500)])
      refused(await ask("owner", none), 404, "NOT_FOUND");
    await manage(target, people.owner, "DELETE", `/api/canvases/${site.id}`);
    refused(await ask("owner", site.id), 404, "NOT_FOUND");
  });

  it("an access token that is bound to a canvas, and one that can only deploy, find nobody", async () => {
    const people = await cast(target);
    const site = await stage(target, { people });
    for (const [given, allowed] of [
      [{ canvasId: site.id }, false],
      [{ canvasId: site.id, scope: "read" }, false],
      [{ scope: "deploy" }, false],
      [{ scope: "read" }, true],
      [{}, true],
    ] as const) {
      const { json, text } = await manage(target, people.owner, "POST", "/api/tokens", {
        name: "T",
        ...given,
      });
      assert.equal(typeof json.token, "string", text);
      const program: Person = { ...people.owner, headers: [["Authorization", `Bearer ${json.token}`]] };
      const answer = await manage(target, program, "GET", "/api/people?q=zz.ada");
      if (allowed) assert.deepEqual((answer.json as unknown as FoundPeople).people.length, 1);
      else refused(answer, 403, "PERMISSION_DENIED");
    }
  });
});

await onEngines(
  "GET /api/people with organisations",
  (target, env) => {
    const search = searcher(target);
    let [acme, colleague, globex, loner, other]: Person[] = [];
    const who = (person: Person | undefined): Person => person ?? assert.fail();
    before(async () => {
      const admin = await target.signIn(target.admin);
      for (const [id, domains] of [
        ["acme", ["acme.example", "acme.test"]],
        ["globex", ["globex.example"]],
      ] as const)
        await manage(target, admin, "PUT", `/api/admin/orgs/${id}`, { name: id, domains });
      [acme, colleague, globex, loner, other] = await Promise.all(
        [
          "acme@acme.example",
          "colleague@acme.test",
          "globex@globex.example",
          "loner@x.example",
          "other@x.example",
        ].map((email) => target.signIn(email)),
      );
      for (const person of [acme, colleague, globex, loner, other])
        await rename(env, who(person).email, `Seek ${who(person).email.split("@")[0]}`);
    });
    const seen = async (person: Person | undefined) => new Set(await search(who(person), "seek"));
    const emails = (...people: (Person | undefined)[]) => new Set(people.map((person) => who(person).email));

    it("members of the caller's organisation, by any of its domains, and nobody else", async () => {
      assert.deepEqual(await seen(acme), emails(colleague));
      assert.deepEqual(await seen(colleague), emails(acme));
      for (const person of [globex, loner, other]) assert.deepEqual(await seen(person), emails());
      // Neither by a whole address, so that the search does not tell whether somebody has an account.
      for (const email of ["acme@acme.example", "other@x.example"])
        assert.deepEqual(await search(who(loner), email), []);
    });

    it("people in a team with the caller: its members and its creator", async () => {
      const { json } = await manage(target, who(acme), "POST", "/api/teams", {
        name: "Team",
        members: [who(globex).email, who(loner).email],
      });
      assert.deepEqual(await seen(acme), emails(colleague, globex, loner));
      assert.deepEqual(await seen(globex), emails(acme, loner));
      assert.deepEqual(await seen(loner), emails(acme, globex));
      assert.deepEqual(await seen(colleague), emails(acme));
      assert.deepEqual(await seen(other), emails());
      await manage(target, who(acme), "DELETE", `/api/teams/${json.id}`);
      assert.deepEqual(await seen(acme), emails(colleague));
      assert.deepEqual(await seen(globex), emails());
    });

    it("people of a canvas: its owner to all, its people to the owner and editors, not to viewers", async () => {
      const people = { ...(await cast(target)), owner: who(acme) };
      const site = await stage(target, { people });
      await amend(target, site, {
        people: [
          { email: who(globex).email, role: "viewer" },
          { email: who(loner).email, role: "viewer" },
          { email: who(other).email, role: "editor" },
        ],
      });
      assert.deepEqual(await seen(acme), emails(colleague, globex, loner, other));
      assert.deepEqual(await seen(other), emails(acme, globex, loner));
      assert.deepEqual(await seen(globex), emails(acme));
      assert.deepEqual(await seen(loner), emails(acme));
      assert.deepEqual(await search(who(acme), "seek", site.id), [who(colleague).email]);
      await manage(target, who(acme), "DELETE", `/api/canvases/${site.id}`);
      for (const person of [globex, loner, other]) assert.deepEqual(await seen(person), emails());
      assert.deepEqual(await seen(acme), emails(colleague));
    });
  },
  { SERVICE_TENANCY: "on" },
);
