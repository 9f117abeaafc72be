import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage, stage, turn } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { until } from "@easel/conformance/patience";
import { connect } from "@easel/conformance/realtime/socket";
import { freshEmail, type Person } from "@easel/conformance/target";
import { onAccessChange } from "../../src/canvases/open-connections.ts";
import { onEngines, startDev } from "../support/engines.ts";
import { refusedAs, scimClient, TOKEN } from "./scim-client.ts";

await onEngines(
  "SCIM",
  (target, env) => {
    let admin: Person;
    before(async () => {
      admin = await target.signIn(target.admin);
    });
    const { call, create, patch, filter } = scimClient(target);
    const isIn = async (person: Person) => (await manage(target, person, "GET", "/api/me")).status === 200;
    const lastEntry = (id: string) =>
      env.db.get<{ act: string; actor_id: string }>`
        select act, actor_id from audit where target = ${id} order by id desc limit 1`;

    it("only the token is let in, and errors have the form of SCIM", async () => {
      for (const token of ["", "wrong", `${TOKEN}x`, TOKEN.slice(1)]) {
        const refusal = await call("GET", "/Users", undefined, token);
        refusedAs(refusal, 401);
        assert.equal(refusal.headers["www-authenticate"], "Bearer");
      }
      const cookies = await send(target.base, {
        method: "GET",
        path: "/scim/v2/Users",
        headers: admin.headers,
      });
      refusedAs(cookies, 401);
      refusedAs(await call("GET", "/None"), 404);
      refusedAs(await call("GET", "/Users/none"), 404);
      refusedAs(await call("GET", "/Users/00000000-0000-0000-0000-000000000000"), 404);
      refusedAs(await call("DELETE", "/Users"), 405);
      refusedAs(await call("POST", "/Schemas", {}), 405);
      refusedAs(await call("POST", "/Users", { displayName: "Nobody" }), 400, "invalidValue");
      refusedAs(await call("POST", "/Users", { userName: "nobody" }), 400, "invalidValue");
      const broken = await send(target.base, {
        method: "POST",
        path: "/scim/v2/Users",
        headers: [["Authorization", `Bearer ${TOKEN}`]],
        body: "{",
      });
      refusedAs(broken, 400, "invalidSyntax");
      assert.equal(
        (await call("GET", "/ServiceProviderConfig")).headers["content-type"]?.includes("scim+json"),
        true,
      );
      for (const list of ["/ResourceTypes", "/Schemas"])
        assert.equal((await call("GET", list)).json.totalResults, 2);
    });

    it("a person is created once, found by userName and externalId, and signs in as usual", async () => {
      const email = freshEmail("ada");
      for (const text of [
        'displayName co "Ada"',
        'nickName eq "Ada"',
        `userName eq "${email}" or nickName eq "Ada"`,
      ])
        refusedAs(await filter("Users", text), 400, "invalidFilter");
      assert.equal((await filter("Users", `userName eq "${email}"`)).json.totalResults, 0);
      const made = await create(email, { externalId: "ext-1" });
      assert.deepEqual(
        [made.userName, made.displayName, made.active, made.externalId],
        [email, "Ada Byron", true, "ext-1"],
      );
      for (const text of [
        `userName eq "${email.toUpperCase()}"`,
        'externalId eq "ext-1"',
        `emails[type eq "work"].value eq "${email}"`,
        `userName Eq "${email}"`,
      ]) {
        const { json } = await filter("Users", text);
        assert.deepEqual(
          [json.totalResults, (json.Resources as { id: string }[])[0]?.id],
          [1, made.id],
          text,
        );
      }
      refusedAs(await call("POST", "/Users", { userName: email }), 409, "uniqueness");
      const person = await target.signIn(email);
      assert.equal((await manage(target, person, "GET", "/api/me")).json.id, made.id);
      assert.deepEqual(await lastEntry(made.id), { act: "user.add", actor_id: "scim" });
      const page = (await call("GET", "/Users?startIndex=2&count=1")).json;
      assert.deepEqual([page.startIndex, page.itemsPerPage, (page.Resources as object[]).length], [2, 1, 1]);
      assert.ok(Number(page.totalResults) > 1);
    });

    it("deactivating, as Entra and Okta send it, ends sessions and open connections at once", async () => {
      const forms: object[] = [
        { op: "Replace", path: "active", value: "False" },
        { op: "replace", value: { active: false } },
        { op: "replace", path: "active", value: false },
      ];
      const site = await stage(target);
      await turn(target, site, { realtime: true });
      const person = site.people.viewer;
      const id = String((await manage(target, person, "GET", "/api/me")).json.id);
      // Connections are also checked again from time to time, which would end them later.
      let announced: unknown[] = [];
      const unsubscribe = await onAccessChange((change) => announced.push(change), env);
      for (const form of forms) {
        const again = await target.signIn(person.email);
        const socket = await connect(target, site.slug, again);
        announced = [];
        const answer = await patch(`/Users/${id}`, form);
        await until("it is announced", () => announced.length > 0);
        assert.deepEqual(announced, [{ people: [id] }]);
        assert.deepEqual([answer.status, answer.json.active], [200, false], answer.text);
        assert.equal((await socket.end()).code, 4401);
        assert.equal(await isIn(again), false);
        await assert.rejects(target.signIn(person.email));
        assert.deepEqual(await lastEntry(id), { act: "user.update", actor_id: "scim" });
        assert.equal(
          (await patch(`/Users/${id}`, { op: "Replace", path: "active", value: "True" })).json.active,
          true,
        );
      }
      await unsubscribe();
      refusedAs(
        await patch(`/Users/${id}`, { op: "replace", path: "active", value: "maybe" }),
        400,
        "invalidValue",
      );
      await target.signIn(person.email);
      assert.equal((await call("DELETE", `/Users/${id}`)).status, 204);
      // What is not known changes nothing.
      const other = await create(freshEmail("other"));
      const ignored = await patch(`/Users/${other.id}`, { op: "add", path: "title", value: "Countess" });
      assert.deepEqual([ignored.status, ignored.json.active], [200, true]);
    });

    it("a person is renamed with what is shared with them, but not to somebody else's address", async () => {
      const site = await stage(target);
      const { viewer, editor } = site.people;
      const id = String((await manage(target, viewer, "GET", "/api/me")).json.id);
      const email = freshEmail("renamed");
      refusedAs(
        await patch(`/Users/${id}`, { op: "replace", path: "userName", value: editor.email }),
        409,
        "uniqueness",
      );
      const put = await call("PUT", `/Users/${id}`, { userName: email, displayName: "Renamed" });
      assert.deepEqual([put.json.userName, put.json.displayName, put.json.active], [email, "Renamed", true]);
      assert.equal((await manage(target, viewer, "GET", `/api/canvases/${site.id}`)).status, 200);
      await call("PUT", `/Users/${id}`, { userName: email, active: false });
      assert.equal((await call("PUT", `/Users/${id}`, { userName: email })).json.active, false);
    });

    it("a group is a team, whose members are added, removed and replaced", async () => {
      const [ann, ben, cy] = [
        await create(freshEmail("ann")),
        await create(freshEmail("ben")),
        await create(freshEmail("cy")),
      ];
      const member = (...people: { id: string }[]) => people.map(({ id }) => ({ value: id }));
      const made = await call("POST", "/Groups", {
        displayName: "Design",
        externalId: "group-1",
        members: member(ann),
      });
      assert.equal(made.status, 201, made.text);
      const path = `/Groups/${made.json.id}`;
      const ids = async () =>
        ((await call("GET", path)).json.members as { value: string }[]).map(({ value }) => value).sort();
      assert.deepEqual(await ids(), [ann.id]);
      refusedAs(
        await call("POST", "/Groups", { displayName: "Design", externalId: "group-1" }),
        409,
        "uniqueness",
      );
      refusedAs(
        await patch(path, { op: "Add", path: "members", value: [{ value: "nobody" }] }),
        400,
        "invalidValue",
      );
      await patch(path, { op: "Add", path: "members", value: member(ben, cy) });
      assert.deepEqual(await ids(), [ann.id, ben.id, cy.id].sort());
      await patch(path, { op: "remove", path: `members[value eq "${ann.id}"]` });
      await patch(path, { op: "Remove", path: "members", value: member(ben) });
      assert.deepEqual(await ids(), [cy.id]);
      await patch(path, { op: "replace", value: { displayName: "Designers", members: member(ann, ben) } });
      assert.deepEqual(await ids(), [ann.id, ben.id].sort());
      const found = (await filter("Groups", 'displayName eq "Designers"')).json;
      assert.equal(found.totalResults, 1);
      // The person sees the team; it gives access like any other.
      const { teams } = (await manage(target, await target.signIn(String(ann.userName)), "GET", "/api/teams"))
        .json;
      assert.deepEqual(
        (teams as { name: string }[]).map(({ name }) => name),
        ["Designers"],
      );
      assert.deepEqual(await lastEntry(String(made.json.id)), { act: "team.update", actor_id: "scim" });
      // A team that somebody has made by hand is none of the provider's.
      const own = (await manage(target, admin, "POST", "/api/teams", { name: "Private", members: [] })).json
        .id;
      refusedAs(await call("GET", `/Groups/${own}`), 404);
      refusedAs(await call("DELETE", `/Groups/${own}`), 404);
      assert.equal((await call("DELETE", path)).status, 204);
      refusedAs(await call("GET", path), 404);
    });

    it("somebody who was erased is gone for the provider", async () => {
      const { id } = await create(freshEmail("gone"));
      assert.equal((await manage(target, admin, "DELETE", `/api/admin/users/${id}`)).json.erased, true);
      refusedAs(await call("GET", `/Users/${id}`), 404);
      refusedAs(await patch(`/Users/${id}`, { op: "replace", path: "active", value: true }), 404);
    });
  },
  { SERVICE_SCIM_TOKEN: TOKEN },
);

it("without the setting there is no SCIM", async (t) => {
  const { target } = await startDev(t, {});
  const answer = await send(target.base, {
    method: "GET",
    path: "/scim/v2/Users",
    headers: [["Authorization", "Bearer "]],
  });
  assert.equal(answer.status, 404);
});
