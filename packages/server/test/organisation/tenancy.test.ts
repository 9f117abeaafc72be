import assert from "node:assert/strict";
import { before, it } from "node:test";
import { type Cast, freshSlug, manage, type Stage, stage } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import { refused } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import { whoAmI } from "../support/client.ts";
import { onEngines, startDev } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";

/** Domains that look similar to those of the organisation Acme, `acme.example` and `acme.test`, but do not belong to it. */
const NEAR = [
  "sub.acme.example",
  "notacme.example",
  "acme.example.com",
  "acme",
  "example",
  "acme.example-",
  "xn--acme.example",
];

const SECRET = "a secret that all of these services have";

await onEngines(
  "organisations",
  (target, env) => {
    let people: Cast;
    let admin: Person;
    let colleague: Person;
    let foreigner: Person;
    let loner: Person;
    before(async () => {
      admin = await target.signIn(target.admin);
      await putOrg("acme", ["acme.example", "acme.test"]);
      await putOrg("globex", ["globex.example"]);
      const [owner, editor, viewer, stranger] = await Promise.all(
        ["owner", "editor", "viewer", "stranger"].map((who) => target.signIn(`${who}@acme.example`)),
      );
      people = { owner, editor, viewer, stranger } as Cast;
      colleague = await target.signIn("colleague@acme.test");
      foreigner = await target.signIn("foreigner@globex.example");
      loner = await target.signIn("loner@nowhere.example");
    });
    async function putOrg(id: string, domains: string[]): Promise<void> {
      const answer = await manage(target, admin, "PUT", `/api/admin/orgs/${id}`, { name: id, domains });
      assert.equal(answer.status, 200, answer.text);
    }
    const set = (person: Person, { id }: { id: string }, body: object) =>
      manage(target, person, "PUT", `/api/canvases/${id}/sharing`, body);
    const create = (person: Person, body: object = {}) =>
      manage(target, person, "POST", "/api/canvases", { title: "Home", slug: freshSlug(), ...body });
    const homeOf = async (id: unknown) =>
      (await env.db.get<{ org_id: string | null }>`select org_id from canvases where id = ${String(id)}`)
        ?.org_id;
    const enters = async ({ slug }: Stage, person: Person) => {
      const [page, api] = [
        await visit(target, slug, person),
        await manage(target, person, "GET", `/v1/c/${slug}/me`),
      ];
      assert.equal(page.status === 200, api.status === 200, `${page.status} and ${api.status}`);
      if (page.status !== 200) for (const answer of [page, api]) refused(answer, 404, "OWNER_ONLY");
      return page.status === 200;
    };
    const shared = async (): Promise<Stage> => {
      const site = await stage(target, { people, access: "whole_org" });
      await publish(target, site, { "index.html": "home" });
      return site;
    };

    it("`GET /api/me` returns the organisation of the domain of the caller's address", async () => {
      for (const [person, orgs] of [
        [people.owner, [{ id: "acme", name: "acme" }]],
        [colleague, [{ id: "acme", name: "acme" }]],
        [foreigner, [{ id: "globex", name: "globex" }]],
        [loner, []],
      ] as const) {
        assert.deepEqual((await whoAmI(target.base, person.headers)).json.orgs, orgs);
      }
    });

    for (const domain of NEAR) {
      it(`\`${domain}\` does not belong to Acme`, async () => {
        const person = await target.signIn(`someone@${domain}`);
        assert.deepEqual((await whoAmI(target.base, person.headers)).json.orgs, []);
        assert.equal(await enters(await shared(), person), false);
      });
    }

    it("the letter case of an address does not matter", async () => {
      const person = await target.signIn("Loud@ACME.Example");
      assert.deepEqual((await whoAmI(target.base, person.headers)).json.orgs, [{ id: "acme", name: "acme" }]);
    });

    it("whole_org admits only members of the canvas's home organisation", async () => {
      const site = await shared();
      for (const [person, may] of [
        [people.owner, true],
        [people.stranger, true],
        [colleague, true],
        [foreigner, false],
        [loner, false],
        [admin, false],
      ] as const) {
        assert.equal(await enters(site, person), may, person.email);
      }
    });

    it("the list admits people of any organisation; private admits no member of the same one", async () => {
      const site = await shared();
      await set(people.owner, site, { people: [{ email: foreigner.email, role: "viewer" }] });
      assert.equal(await enters(site, foreigner), true);
      await set(people.owner, site, { access: "private" });
      assert.equal(await enters(site, foreigner), true);
      assert.equal(await enters(site, colleague), false);
    });

    it("a guest with an address of the organisation is not a member: only the invitation counts", async () => {
      const [site, other] = [await shared(), await shared()];
      const guest = await guestOf(target, site, colleague.email);
      assert.deepEqual((await whoAmI(target.base, guest.headers)).json.orgs, []);
      refused(await visit(target, other.slug, guest), 404, "NOT_INVITED");
      assert.equal((await visit(target, site.slug, guest)).status, 200);
    });

    it("the home of a new canvas is its creator's organisation", async () => {
      for (const [person, org] of [
        [people.owner, "acme"],
        [foreigner, "globex"],
        [loner, null],
      ] as const) {
        assert.equal(await homeOf((await create(person)).json.id), org);
      }
      const named = await create(people.owner, { orgId: "acme" });
      assert.deepEqual([named.status, await homeOf(named.json.id)], [201, "acme"]);
    });

    it("an orgId of another organisation: 400 INVALID_BODY with `org_forbidden`, and no canvas is created", async () => {
      for (const [person, orgId] of [
        [people.owner, "globex"],
        [people.owner, "none"],
        [people.owner, ""],
        [people.owner, "acme\0"],
        [loner, "acme"],
        [admin, "acme"],
      ] as const) {
        const slug = freshSlug();
        const answer = await create(person, { orgId, slug });
        refused(answer, 400, "INVALID_BODY");
        assert.equal(answer.json.reason, "org_forbidden");
        assert.equal(await env.db.get`select 1 as one from canvases where slug = ${slug}`, undefined);
      }
      refused(await create(people.owner, { orgId: null }), 400, "INVALID_BODY");
      refused(await create(people.owner, { orgId: ["acme"] }), 400, "INVALID_BODY");
    });

    it("whole_org without a home: 409 ORG_REQUIRED, and nothing changes", async () => {
      const { json } = await create(loner);
      const path = `/api/canvases/${json.id}`;
      const previous = (await manage(target, loner, "GET", path)).json;
      refused(
        await set(loner, json as { id: string }, { access: "whole_org", password: "open sesame" }),
        409,
        "ORG_REQUIRED",
      );
      assert.deepEqual((await manage(target, loner, "GET", path)).json, previous);
      for (const access of ["private", "public_link", "specific_people"]) {
        assert.equal((await set(loner, json as { id: string }, { access })).status, 200, access);
      }
    });

    it("a canvas without a home gets that of its owner when it is shared as whole_org", async () => {
      const newcomer = await target.signIn("newcomer@later.example");
      const site = await stage(target, { people: { ...people, owner: newcomer } });
      await publish(target, site, { "index.html": "home" });
      assert.equal(await homeOf(site.id), null);
      refused(await set(newcomer, site, { access: "whole_org" }), 409, "ORG_REQUIRED");
      await putOrg("later", ["later.example"]);
      assert.equal((await set(people.editor, site, { access: "whole_org" })).status, 200);
      assert.equal(await homeOf(site.id), "later", "its owner's, not the editor's who shares it");
      assert.equal(await enters(site, await target.signIn("other@later.example")), true);
      assert.equal(await enters(site, people.stranger), false);
    });

    it("the home stays when the canvas is transferred to a member of another organisation", async () => {
      const site = await shared();
      await set(people.owner, site, { people: [{ email: foreigner.email, role: "editor" }] });
      const path = `/api/canvases/${site.id}/owner`;
      assert.equal((await manage(target, people.owner, "PUT", path, { email: foreigner.email })).status, 200);
      assert.equal(await homeOf(site.id), "acme");
      assert.equal(await enters(site, colleague), true);
      assert.equal(await enters(site, await target.signIn("second@globex.example")), false);
      assert.equal(await enters(site, foreigner), true);
    });

    it("moving a domain moves its members at the next request", async () => {
      await putOrg("movers", ["movers.example"]);
      const [owner, mover] = [
        await target.signIn("owner@movers.example"),
        await target.signIn("mover@movers.example"),
      ];
      const site = await stage(target, { people: { ...people, owner }, access: "whole_org" });
      await publish(target, site, { "index.html": "home" });
      assert.equal(await enters(site, mover), true);
      await putOrg("movers", []);
      assert.equal(await enters(site, mover), false);
      assert.equal(await enters(site, owner), true);
      await putOrg("globex", ["globex.example", "movers.example"]);
      assert.equal(await enters(site, mover), false);
      assert.deepEqual((await whoAmI(target.base, mover.headers)).json.orgs, [
        { id: "globex", name: "globex" },
      ]);
      await putOrg("globex", ["globex.example"]);
    });

    it("a deleted organisation admits nobody, and its canvases need a new home", async () => {
      await putOrg("brief", ["brief.example"]);
      const [owner, member] = [
        await target.signIn("owner@brief.example"),
        await target.signIn("member@brief.example"),
      ];
      const site = await stage(target, { people: { ...people, owner }, access: "whole_org" });
      await publish(target, site, { "index.html": "home" });
      assert.equal(await enters(site, member), true);
      assert.equal((await manage(target, admin, "DELETE", "/api/admin/orgs/brief")).status, 204);
      assert.equal(await enters(site, member), false);
      assert.equal(await enters(site, owner), true);
      refused(await set(owner, site, { access: "whole_org" }), 409, "ORG_REQUIRED");
      assert.equal((await set(owner, site, { password: null })).status, 200);
    });

    it("a refusal page names the owner only to members of the canvas's organisation", async () => {
      const site = await stage(target, { people });
      await publish(target, site, { "index.html": "home" });
      for (const [person, isTold] of [
        [colleague, true],
        [foreigner, false],
        [loner, false],
        [admin, false],
      ] as const) {
        const { status, text } = await visit(target, site.slug, person, "", [["Accept", "text/html"]]);
        assert.deepEqual(
          [status, text.includes(`mailto:${people.owner.email}`)],
          [404, isTold],
          person.email,
        );
      }
    });

    it("the list of the organisation has canvases of the caller's and of no other", async () => {
      const site = await shared();
      await manage(target, people.owner, "PATCH", `/api/canvases/${site.id}`, { discoverability: "listed" });
      const listed = async (person: Person) =>
        (await manage(target, person, "GET", "/api/canvases?list=organisation")).text;
      assert.ok((await listed(colleague)).includes(`/c/${site.slug}/`));
      for (const person of [foreigner, loner, admin])
        assert.ok(!(await listed(person)).includes(`/c/${site.slug}/`));
    });

    it("without SERVICE_TENANCY whole_org admits everyone signed in, whatever the home is", async (t) => {
      const { databaseUrl, blobsUrl } = env.config;
      const plain = await startDev(t, {
        SERVICE_DATABASE_URL: databaseUrl,
        SERVICE_BLOBS_URL: blobsUrl,
        SERVICE_SESSION_SECRET: SECRET,
      });
      const site = await shared();
      for (const person of [colleague, foreigner, loner]) {
        const answer = await manage(plain.target, person, "GET", `/v1/c/${site.slug}/me`);
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual((await whoAmI(plain.target.base, person.headers)).json.orgs, []);
      }
      const answer = await manage(plain.target, people.owner, "POST", "/api/canvases", {
        title: "A",
        orgId: "acme",
      });
      refused(answer, 400, "INVALID_BODY");
      assert.equal(answer.json.reason, "org_forbidden");
      const made = await manage(plain.target, loner, "POST", "/api/canvases", { title: "B" });
      const path = `/api/canvases/${made.json.id}/sharing`;
      assert.equal((await manage(plain.target, loner, "PUT", path, { access: "whole_org" })).status, 200);
    });
  },
  { SERVICE_TENANCY: "on", SERVICE_SESSION_SECRET: SECRET },
);
