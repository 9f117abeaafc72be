import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage } from "@easel/conformance/fixture";
import { refused } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import { type Account, personOf } from "../../src/identity/identities.ts";
import { onEngines } from "../support/engines.ts";
import { refusedAs, scimClient, TOKEN } from "./scim-client.ts";

/* Tests that a user of a directory is one person, with any of their addresses at the sign-in. */

await onEngines(
  "people of a directory",
  (target, env) => {
    let admin: Person;
    const { call, create, patch, filter } = scimClient(target);
    before(async () => {
      admin = await target.signIn(target.admin);
    });
    const me = async (person: Person) => (await manage(target, person, "GET", "/api/me")).json;
    const isIn = async (person: Person) => (await manage(target, person, "GET", "/api/me")).status === 200;
    const account = (email: string, more: Partial<Account> = {}): Account => ({
      issuer: "https://login.example.test",
      subject: `sub of ${email}`,
      email,
      name: null,
      groups: null,
      ...more,
    });
    const signIn = async (email: string, more: Partial<Account> = {}) => {
      const person = await personOf(account(email, more), env, { always: true });
      return typeof person === "string" ? person : person.id;
    };
    /** A user as Entra sends them by its default mapping: UPN and mail differ. */
    const entra = (upn: string, mail: string, more: object = {}) => ({
      schemas: [
        "urn:ietf:params:scim:schemas:core:2.0:User",
        "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
      ],
      externalId: upn.split("@")[0],
      userName: upn,
      active: true,
      displayName: "Ada Byron",
      emails: [{ primary: true, type: "work", value: mail }],
      meta: { resourceType: "User" },
      name: { formatted: "Ada Byron", familyName: "Byron", givenName: "Ada" },
      roles: [],
      ...more,
    });
    const addresses = () => ({ upn: freshEmail("upn"), mail: freshEmail("mail") });
    const ends: [string, (id: string) => Promise<{ status: number }>, number][] = [
      ["Entra", (id) => patch(`/Users/${id}`, { op: "Replace", path: "active", value: "False" }), 200],
      ["Okta", (id) => patch(`/Users/${id}`, { op: "replace", value: { active: false } }), 200],
      ["a deletion", (id) => call("DELETE", `/Users/${id}`), 204],
    ];

    for (const [how, end, status] of ends)
      for (const kind of ["mail", "upn"] as const)
        for (const first of ["the directory", "the person"] as const)
          it(`UPN and mail differ, ${kind} signs in, ${first} came first: deactivated as ${how} does it, sessions end`, async () => {
            const known = addresses();
            const email = known[kind];
            let person = first === "the person" ? await target.signIn(email) : null;
            // Entra asks before it adds somebody.
            const asked = await filter("Users", `userName eq "${known.upn}"`);
            const found = (asked.json.Resources as { id: string }[])[0]?.id;
            assert.equal(found !== undefined, first === "the person" && kind === "upn");
            const body = entra(known.upn, known.mail);
            const made =
              found === undefined
                ? await call("POST", "/Users", body)
                : await patch(`/Users/${found}`, {
                    op: "Replace",
                    path: 'emails[type eq "work"].value',
                    value: known.mail,
                  });
            assert.equal(made.status, found === undefined ? 201 : 200, made.text);
            const id = String(made.json.id);
            assert.equal(made.json.userName, known.upn);
            assert.deepEqual(made.json.emails, [{ value: known.mail, type: "work", primary: true }]);
            person ??= await target.signIn(email);
            assert.deepEqual([(await me(person)).id, (await me(person)).email], [id, email]);
            // The account of a sign-in by OpenID Connect is that of the same person, and so is what the directory sends again.
            assert.equal(await signIn(known.mail), id);
            assert.equal(await signIn(known.mail), id);
            const again = await call("PUT", `/Users/${id}`, body);
            assert.deepEqual([again.status, again.json.userName], [200, known.upn]);
            assert.equal((await me(person)).email, known.mail, "the address of the sign-in stays");
            assert.equal((await filter("Users", `userName eq "${known.upn}"`)).json.totalResults, 1);
            assert.equal((await end(id)).status, status);
            assert.equal(await isIn(person), false);
            assert.equal(await signIn(known.mail), "deactivated");
            assert.equal(await signIn(known.upn), "deactivated");
            await assert.rejects(target.signIn(known.upn));
            await assert.rejects(target.signIn(known.mail));
          });

    it("two people who are one at the provider are refused, and nothing changes", async () => {
      const { upn, mail } = addresses();
      const [one, two] = [await target.signIn(upn), await target.signIn(mail)];
      const ids = [String((await me(one)).id), String((await me(two)).id)];
      const conflict = await call("POST", "/Users", entra(upn, mail));
      refusedAs(conflict, 409, "uniqueness");
      assert.match(
        String(conflict.json.detail),
        /belongs to another user here, with the userName .+ and the id /,
      );
      for (const body of [
        entra(upn, mail, { active: false }),
        entra(freshEmail("third"), mail, { active: false }),
        entra(mail, upn, { active: false }),
      ])
        refusedAs(await call("PUT", `/Users/${ids[0]}`, body), 409, "uniqueness");
      refusedAs(
        await patch(`/Users/${ids[0]}`, { op: "Add", path: 'emails[type eq "work"].value', value: mail }),
        409,
        "uniqueness",
      );
      assert.deepEqual([await isIn(one), await isIn(two)], [true, true]);
      // An address of the directory cannot be taken in another way.
      const other = await create(freshEmail("other"), { emails: [{ value: freshEmail("alias") }] });
      const alias = String((other.emails as { value: string }[])[0]?.value);
      refusedAs(await call("POST", "/Users", { userName: alias }), 409, "uniqueness");
      refused(await manage(target, admin, "POST", "/api/admin/users", { email: alias }), 409, "NOT_UNIQUE");
      const renamed = account(freshEmail("before"));
      assert.equal(typeof (await signIn(renamed.email, renamed)), "string");
      assert.equal(await signIn(alias, { subject: renamed.subject }), "address_taken");
      // An id of the provider belongs to one user.
      const externalId = freshEmail("id");
      await create(freshEmail("has"), { externalId });
      refusedAs(await call("POST", "/Users", { userName: freshEmail("new"), externalId }), 409, "uniqueness");
      refusedAs(
        await patch(`/Users/${other.id}`, { op: "add", path: "externalId", value: externalId }),
        409,
        "uniqueness",
      );
    });

    it("a user who was deleted is gone, and comes back as the same person", async () => {
      const { upn, mail } = addresses();
      const { id } = await create(upn, { externalId: upn, emails: [{ value: mail }] });
      const owner = await target.signIn(mail);
      const site = (await manage(target, owner, "POST", "/api/canvases", { title: "Theirs" })).json;
      assert.equal((await call("DELETE", `/Users/${id}`)).status, 204);
      for (const answer of [
        await call("GET", `/Users/${id}`),
        await call("DELETE", `/Users/${id}`),
        await patch(`/Users/${id}`, { op: "replace", path: "active", value: true }),
        await call("PUT", `/Users/${id}`, { userName: upn }),
      ])
        refusedAs(answer, 404);
      for (const text of [
        `userName eq "${upn}"`,
        `emails.value eq "${mail}"`,
        `externalId eq "${upn}"`,
        `id eq "${id}"`,
      ])
        assert.equal((await filter("Users", text)).json.totalResults, 0, text);
      const back = await create(upn, { externalId: upn, emails: [{ value: mail }] });
      assert.deepEqual([back.id, back.active], [id, true]);
      assert.equal((await me(await target.signIn(mail))).id, id);
      assert.equal((await call("GET", `/Users/${id}`)).status, 200);
      refusedAs(await call("POST", "/Users", { userName: upn }), 409, "uniqueness");
      // Another person who gets the name inherits nothing.
      assert.equal((await call("DELETE", `/Users/${id}`)).status, 204);
      const other = await create(upn, { externalId: "another", emails: [{ value: mail }] });
      assert.notEqual(other.id, id);
      const heir = await target.signIn(mail);
      assert.equal((await me(heir)).id, other.id);
      refused(await manage(target, heir, "GET", `/api/canvases/${site.id}`), 404, "NOT_FOUND");
      const former = await env.db.all<{
        email: string;
      }>`select email from former_addresses where user_id = ${id}`;
      assert.deepEqual(former.map(({ email }) => email).sort(), [mail, upn].sort());
      // An administrator who lets somebody in lets the directory see them.
      assert.equal((await call("DELETE", `/Users/${other.id}`)).status, 204);
      await manage(target, admin, "PATCH", `/api/admin/users/${other.id}`, { deactivated: false });
      assert.equal((await call("GET", `/Users/${other.id}`)).json.active, true);
    });

    it("whom an administrator has blocked is not let in by being added", async () => {
      const { upn, mail } = addresses();
      const blocked = { email: mail, deactivated: true };
      const { id } = (await manage(target, admin, "POST", "/api/admin/users", blocked)).json;
      const made = await call("POST", "/Users", entra(upn, mail));
      assert.deepEqual([made.status, made.json.id, made.json.active], [201, id, false]);
      await assert.rejects(target.signIn(upn));
      const again = await patch(`/Users/${id}`, { op: "Replace", path: "active", value: "True" });
      assert.equal(again.json.active, true);
    });

    it("with a claim for the id, an account is that of the directory under any address", async () => {
      const [oid, upn] = ["0b1c5f3e-oid", freshEmail("upn")];
      const { id } = await create(upn, { externalId: oid });
      const elsewhere = freshEmail("elsewhere");
      assert.equal(await signIn(elsewhere, { directoryId: oid }), id);
      // Somebody who got the address later has another id.
      const given = await create(freshEmail("given"), { externalId: "of-the-former" });
      assert.equal(await signIn(String(given.userName), { directoryId: "of-the-next" }), "other_account");
      // A person who came first is found by the id of their sign-in.
      const first = await signIn(freshEmail("first"), { directoryId: "came-first" });
      const adopted = await call("POST", "/Users", {
        userName: freshEmail("later"),
        externalId: "came-first",
      });
      assert.deepEqual([adopted.status, adopted.json.id], [201, first], adopted.text);
      // One account, two people: nothing says which one it is.
      const known = account(freshEmail("known"));
      assert.equal(typeof (await signIn(known.email, known)), "string");
      await create(freshEmail("twin"), { externalId: "twin" });
      assert.equal(await signIn(known.email, { ...known, directoryId: "twin" }), "other_account");
    });

    it("addresses change as Entra and Okta send it, and those that are gone are kept for an erasure", async () => {
      const { upn, mail } = addresses();
      const { id } = await create(upn, { emails: [{ value: mail, type: "work", primary: true }] });
      const person = await target.signIn(mail);
      const [newMail, home, newUpn] = [freshEmail("newmail"), freshEmail("home"), freshEmail("newupn")];
      const mailsOf = (answer: { json: Record<string, unknown> }) =>
        (answer.json.emails as { value: string; type: string }[]).map(({ value, type }) => [value, type]);
      const replaced = await patch(
        `/Users/${id}`,
        { op: "Replace", path: 'emails[type eq "work"].value', value: newMail },
        { op: "Add", path: 'emails[type eq "home"].value', value: home },
      );
      assert.deepEqual(mailsOf(replaced), [
        [newMail, "work"],
        [home, "home"],
      ]);
      assert.equal((await me(person)).email, newMail);
      const renamed = await patch(`/Users/${id}`, { op: "Replace", path: "userName", value: newUpn });
      assert.deepEqual([renamed.json.userName, (await me(person)).email], [newUpn, newMail]);
      const removed = await patch(`/Users/${id}`, { op: "remove", path: `emails[value eq "${home}"]` });
      assert.deepEqual(mailsOf(removed), [[newMail, "work"]]);
      const okta = await call("PUT", `/Users/${id}`, entra(newUpn, newUpn));
      assert.deepEqual([mailsOf(okta), (await me(person)).email], [[[newUpn, "work"]], newUpn]);
      const former = await env.db.all<{
        email: string;
      }>`select email from former_addresses where user_id = ${id}`;
      assert.deepEqual(new Set(former.map(({ email }) => email)), new Set([mail, newMail, home, upn]));
      refusedAs(
        await patch(
          `/Users/${id}`,
          { op: "replace", path: "userName", value: "nobody" },
          { op: "remove", path: "emails" },
        ),
        400,
        "invalidValue",
      );
      const byName = await call("POST", "/Users", {
        userName: "ADoe",
        emails: [{ value: freshEmail("doe") }],
      });
      assert.deepEqual([byName.status, byName.json.userName], [201, "adoe"]);
      assert.equal((await filter("Users", 'userName eq "aDoe"')).json.totalResults, 1);
    });

    it("filters are joined by and, and attributes are left out", async () => {
      const { upn, mail } = addresses();
      const { id } = await create(upn, { externalId: `x-${upn}`, emails: [{ value: mail }] });
      const group = await call("POST", "/Groups", {
        displayName: `G ${upn}`,
        externalId: `g-${upn}`,
        members: [{ value: id }],
      });
      for (const [type, text, count] of [
        ["Users", `userName eq "${upn}" and active eq true`, 1],
        ["Users", `userName eq "${upn}" AND active eq False`, 0],
        ["Users", `userName eq "${upn}" and externalId eq "x-${upn}"`, 1],
        ["Users", `userName eq "${upn}" and externalId eq "x-other"`, 0],
        ["Users", `emails[type eq "work" and value eq "${mail}"]`, 1],
        [
          "Users",
          `emails[type eq "work"].value eq "${mail}" and urn:ietf:params:scim:schemas:core:2.0:User:userName eq "${upn}"`,
          1,
        ],
        ["Users", 'userName eq "a and b eq \\"c\\""', 0],
        ["Groups", `id eq "${group.json.id}" and members eq "${id}"`, 1],
        ["Groups", `id eq "${group.json.id}" and members.value eq "nobody"`, 0],
      ] as const) {
        const { status, json, text: all } = await filter(type, text);
        assert.deepEqual([status, json.totalResults], [200, count], `${text} ${all}`);
      }
      for (const text of [
        "",
        `userName eq "${upn}" and`,
        `userName eq "${upn}" and title eq "x"`,
        `userName eq "${upn}" or active eq true`,
        `(userName eq "${upn}")`,
        `not userName eq "${upn}"`,
        `userName ne "${upn}"`,
        `userName eq "${upn}`,
        `emails[type eq "work"`,
        'emails[type eq "work"]',
        `userName eq "${upn}"active eq true`,
      ])
        refusedAs(await filter("Users", text), 400, "invalidFilter");
      refusedAs(await filter("Users", Array(11).fill("active eq true").join(" and ")), 400, "tooMany");
      const path = `/Groups/${group.json.id}`;
      assert.equal(((await call("GET", path)).json.members as []).length, 1);
      for (const query of ["excludedAttributes=members", "attributes=displayName,meta.location"]) {
        const one = (await call("GET", `${path}?${query}`)).json;
        const [listed] = (await filter("Groups", `id eq "${group.json.id}"`, `&${query}`)).json
          .Resources as object[];
        for (const each of [one, listed as object]) {
          assert.deepEqual(
            ["members" in each, "id" in each, "schemas" in each, "displayName" in each],
            [false, true, true, true],
          );
          assert.equal("externalId" in each, query.startsWith("excluded"));
        }
      }
      const patched = await call("PATCH", `/Users/${id}?excludedAttributes=emails,NAME`, { Operations: [] });
      assert.deepEqual(
        ["emails" in patched.json, "name" in patched.json, patched.json.userName],
        [false, false, upn],
      );
    });

    it("a PATCH of more than 1,000 attributes is refused before they are read", async () => {
      const { id } = await create(freshEmail("many"));
      const many = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, ""]));
      for (const operations of [
        [{ op: "replace", value: many(45_000) }],
        [
          { op: "replace", value: many(600) },
          { op: "add", value: many(401) },
        ],
        Array(1_001).fill({ op: "add", path: "title", value: "x" }),
        Array(1_001).fill(null),
      ]) {
        const answer = await patch(`/Users/${id}`, ...operations, {
          op: "replace",
          path: "active",
          value: false,
        });
        refusedAs(answer, 400, "tooMany");
      }
      assert.equal((await call("GET", `/Users/${id}`)).json.active, true);
      assert.equal((await patch(`/Users/${id}`, { op: "replace", value: many(1_000) })).status, 200);
      const group = await call("POST", "/Groups", { displayName: freshEmail("large") });
      const add = (count: number) => ({
        op: "add",
        path: "members",
        value: Array(count).fill({ value: id }),
      });
      const path = `/Groups/${group.json.id}`;
      refusedAs(await patch(path, add(600), add(401)), 400, "tooMany");
      assert.deepEqual((await call("GET", path)).json.members, []);
      assert.equal((await patch(path, add(600), add(400))).status, 200);
      refusedAs(await patch(`/Users/${id}`, { op: "move", path: "title" }), 400, "invalidValue");
      refusedAs(await call("PATCH", `/Users/${id}`, { Operations: {} }), 400, "invalidValue");
      refusedAs(await call("PATCH", `/Users/${id}`, [{ op: "add" }]), 400, "invalidValue");
    });
  },
  { SERVICE_SCIM_TOKEN: TOKEN },
);
