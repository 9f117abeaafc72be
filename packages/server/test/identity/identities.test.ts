import assert from "node:assert/strict";
import { it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import { freshEmail } from "@easel/conformance/target";
import type { Member } from "../../src/access/principal.ts";
import { newId } from "../../src/crypto/ids.ts";
import { isAdmin } from "../../src/identity/identify.ts";
import { type Account, personOf } from "../../src/identity/identities.ts";
import { isListed, upsertUser } from "../../src/identity/users.ts";
import { onEngines } from "../support/engines.ts";
import type { TestEnv } from "../support/test-env.ts";

const ISSUER = "https://accounts.acme.test";

/** Returns an account of a provider. */
const account = (subject: string, email: string, more: Partial<Account> = {}): Account => ({
  issuer: ISSUER,
  subject,
  email,
  name: null,
  groups: null,
  ...more,
});

const signIn = (given: Account, env: TestEnv) => personOf(given, env, { always: true });

async function member(given: Account, env: TestEnv): Promise<Member> {
  const person = await signIn(given, env);
  return typeof person === "string" ? assert.fail(person) : person;
}

await onEngines("people by issuer and subject", (target, env) => {
  it("an account is the same person under every address, with roles, teams, name and canvases", async () => {
    const [before, after, other] = [freshEmail("before"), freshEmail("after"), freshEmail("other")];
    const person = await member(account("renamed", before), env);
    const owner = await target.signIn(other);
    const made = async (path: string, body: object) => (await manage(target, owner, "POST", path, body)).json;
    const [viewed, edited] = [
      await made("/api/canvases", { title: "Viewed" }),
      await made("/api/canvases", { title: "Edited" }),
    ];
    for (const [canvas, first, second] of [
      [viewed, "viewer", "viewer"],
      [edited, "editor", "viewer"],
    ] as const)
      for (const [email, role] of [
        [before, first],
        [after, second],
      ] as const)
        await env.db
          .run`insert into canvas_people (canvas_id, email, role) values (${String(canvas.id)}, ${email}, ${role})`;
    const team = await made("/api/teams", { name: "Design", members: [before] });
    const mine = newId();
    await env.db.run`insert into canvases (id, slug, title, owner_id, created_by, created_at, updated_at)
      values (${mine}, ${mine}, 'Mine', ${person.id}, ${person.id}, 1, 1)`;
    await env.db.run`insert into canvas_people (canvas_id, email, role) values (${mine}, ${after}, 'viewer')`;

    const now = await member(account("renamed", after, { name: "Ada" }), env);
    assert.deepEqual([now.id, now.email, now.name], [person.id, after, "Ada"]);
    const roles = await env.db.all`select canvas_id, email, role from canvas_people
      where email in (${before}, ${after}) order by role`;
    assert.deepEqual(
      roles.map((row) => ({ ...(row as object) })),
      [
        { canvas_id: edited.id, email: after, role: "editor" },
        { canvas_id: viewed.id, email: after, role: "viewer" },
      ],
    );
    const { json } = await manage(target, owner, "GET", `/api/teams/${team.id}`);
    assert.deepEqual(json.members, [after]);
  });

  it("the first sign-in links the account to the person of its address; another account with it is refused", async () => {
    const email = freshEmail("linked");
    const known = await upsertUser(env.db, email, "Known", 1);
    assert.equal((await member(account("first", email), env)).id, known?.id);
    assert.equal(await signIn(account("second", email), env), "other_account");
    assert.equal(
      (await member(account("second", email, { issuer: "https://other.test" }), env)).id,
      known?.id,
    );
    assert.equal((await member(account("first", email), env)).name, "Known");
  });

  it("an address that was given to somebody else inherits nothing", async () => {
    const [before, after] = [freshEmail("recycled"), freshEmail("moved")];
    const first = await member(account("moves", before), env);
    await member(account("moves", after), env);
    assert.notEqual((await member(account("newcomer", before), env)).id, first.id);
    assert.equal(await signIn(account("moves", before), env), "address_taken");
    assert.equal((await member(account("moves", after), env)).id, first.id);
  });

  it("a deactivated person is refused, also by an account that is not linked yet", async () => {
    const email = freshEmail("gone");
    const person = await member(account("gone", email), env);
    const stranger = freshEmail("never-linked");
    await upsertUser(env.db, stranger, null, 1);
    await env.db.run`update users set deactivated_at = ${1} where email in (${email}, ${stranger})`;
    assert.equal(await signIn(account("gone", email), env), "deactivated");
    assert.equal(await signIn(account("gone", freshEmail("elsewhere")), env), "deactivated");
    assert.equal(await signIn(account("never", stranger), env), "deactivated");
    assert.equal(
      (await env.db.get<{ id: string }>`select id from users where email = ${email}`)?.id,
      person.id,
    );
  });

  it("ten first sign-ins of an account at once make one person", async () => {
    const email = freshEmail("many");
    const people = await Promise.all(Array.from({ length: 10 }, () => member(account("many", email), env)));
    assert.equal(new Set(people.map(({ id }) => id)).size, 1);
  });

  it("an administrator by address stays one under another address, and nobody else becomes one by it", async () => {
    const [before, after, third] = [freshEmail("admin"), freshEmail("admin-moved"), freshEmail("third")];
    const { config } = env;
    env.config = { ...config, adminEmails: [before] };
    assert.ok(isAdmin(await member(account("admin", before), env), env));
    assert.ok(isAdmin(await member(account("admin", after), env), env));
    assert.ok(isAdmin(await member(account("admin", third), env), env));
    const newcomer = await member(account("not an admin", before), env);
    assert.equal(newcomer.email, before);
    assert.ok(!isAdmin(newcomer, env));
    // The operator follows: the former address is free.
    env.config = { ...config, adminEmails: [third] };
    assert.ok(isAdmin(await member(account("admin", third), env), env));
    env.config = { ...config, adminEmails: [before, third] };
    assert.ok(isAdmin(await member(account("not an admin", before), env), env));
    env.config = { ...config, adminEmails: [] };
    assert.ok(!isAdmin(await member(account("admin", third), env), env));
    env.config = config;
  });

  it("groups make administrators while the provider names them, and the settings do", async () => {
    const { config } = env;
    const email = freshEmail("grouped");
    env.config = { ...config, oidcAdminGroups: ["admins"] };
    const inGroups = async (...groups: string[]) => member(account("grouped", email, { groups }), env);
    const admin = await inGroups("admins", "staff");
    assert.ok(isListed(admin, env.config));
    assert.ok(!isListed(admin, { ...env.config, oidcAdminGroups: [] }));
    assert.ok(!isListed(await inGroups("staff"), env.config));
    await inGroups("admins");
    assert.ok(!isListed(await member(account("grouped", email, { groups: null }), env), env.config));
    env.config = config;
  });

  it("a team follows a group: its members are those of the group, and nobody changes them here", async () => {
    const { config } = env;
    env.config = { ...config, oidcGroupsClaim: "groups" };
    const owner = await target.signIn(freshEmail("creator"));
    const [ada, bob] = [freshEmail("ada"), freshEmail("bob")];
    const inGroups = (email: string, groups: string[] | null) =>
      member(account(email, email, { groups }), env);
    await inGroups(ada, ["design", "staff"]);
    await inGroups(bob, ["staff"]);
    const { json: team } = await manage(target, owner, "POST", "/api/teams", { name: "D", members: [bob] });
    const path = `/api/teams/${team.id}`;
    const change = (body: object) => manage(target, owner, "PATCH", path, body);
    const members = async () => (await manage(target, owner, "GET", path)).json.members;

    refused(await change({ externalGroup: "design" }), 403, "PERMISSION_DENIED");
    assert.deepEqual(await members(), [bob]);
    await env.db
      .run`insert into person_groups (user_id, name) select id, 'design' from users where email = ${owner.email}`;
    const followed = await change({ externalGroup: "design" });
    assert.deepEqual([followed.status, followed.json.externalGroup], [200, "design"]);
    assert.deepEqual(await members(), [ada, owner.email].sort());

    await inGroups(bob, ["design"]);
    await inGroups(ada, ["staff"]);
    assert.deepEqual(await members(), [bob, owner.email].sort());
    await inGroups(bob, null);
    assert.deepEqual(await members(), [bob, owner.email].sort(), "groups that are not told change nothing");
    for (const body of [{ members: [] }, { add: [ada] }, { remove: [bob] }])
      refused(await change(body), 403, "PERMISSION_DENIED");
    refused(await manage(target, owner, "DELETE", `${path}/membership`), 403, "PERMISSION_DENIED");
    assert.equal((await change({ name: "Design" })).status, 200);

    assert.equal((await change({ externalGroup: null })).json.externalGroup, null);
    await inGroups(bob, []);
    assert.deepEqual(
      await members(),
      [bob, owner.email].sort(),
      "members stay once the team follows no group",
    );
    assert.equal((await change({ remove: [bob] })).status, 200);
    env.config = config;
    refused(await change({ externalGroup: "design" }), 400, "INVALID_BODY");
  });

  it("an administrator names any group, sees accounts, and unlinks them", async () => {
    const { config } = env;
    env.config = { ...config, oidcGroupsClaim: "groups" };
    const admin = await target.signIn(target.admin);
    const { json: team } = await manage(target, admin, "POST", "/api/teams", { name: "Any" });
    const named = await manage(target, admin, "PATCH", `/api/teams/${team.id}`, { externalGroup: "any" });
    assert.equal(named.status, 200, named.text);
    env.config = config;

    const email = freshEmail("made-anew");
    const person = await member(account("former", email), env);
    assert.equal(await signIn(account("anew", email), env), "other_account");
    const path = `/api/admin/users/${person.id}/identities`;
    const { json } = await manage(target, admin, "GET", path);
    const [listed] = json.identities as { issuer: string; subject: string }[];
    assert.deepEqual([listed?.issuer, listed?.subject], [ISSUER, "former"]);
    assert.deepEqual((await manage(target, admin, "DELETE", path)).json, { ended: 1 });
    assert.equal((await member(account("anew", email), env)).id, person.id);
    assert.equal(await signIn(account("former", email), env), "other_account");
    const entry = await env.db.get<{ details: string }>`
      select details from audit where act = 'user.unlink' and target = ${person.id}`;
    assert.match(entry?.details ?? "", /"subject":"former"/);
  });
});
