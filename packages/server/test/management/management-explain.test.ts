import assert from "node:assert/strict";
import { before, it } from "node:test";
import { deactivate } from "@easel/conformance/admin";
import { amend, manage, type Stage, share, stage } from "@easel/conformance/fixture";
import { accept, guestOf, invite, revoke } from "@easel/conformance/guest";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import { makeTeam } from "@easel/conformance/team";
import type { AccessExplanation, AccessRule } from "@easel/protocol/management";
import { onSqlite } from "../support/engines.ts";
import { publish, visit } from "../support/publish.ts";

type Explained = AccessExplanation;

const foreignEmail = (label: string) => freshEmail(label).replace("@example.com", "@other.example");

await onSqlite(
  "explanations of access",
  (target, env) => {
    let site: Stage;
    let admin: Person;
    before(async () => {
      await env.db
        .run`insert into orgs (id, name, created_at) values ('home', 'Home', 1), ('other', 'Other', 1)`;
      await env.db.run`
        insert into org_domains (domain, org_id) values ('example.com', 'home'), ('other.example', 'other')`;
      admin = await target.signIn(target.admin);
      site = await stage(target);
      await publish(target, site, { "index.html": "The page." });
    });
    const ask = (
      query: string,
      who: Person | null = site.people.owner,
      at = "/api/canvases",
      { id } = site,
    ) => manage(target, who, "GET", `${at}/${id}/access?${query}`);
    async function explained(query: string, who?: Person, at?: string): Promise<Explained> {
      const answer = await ask(query, who, at);
      assert.equal(answer.status, 200, answer.text);
      return answer.json as unknown as Explained;
    }
    const about = (email: string, who?: Person) => explained(`email=${encodeURIComponent(email)}`, who);
    const toAdmin = (email: string) =>
      explained(`email=${encodeURIComponent(email)}`, admin, "/api/admin/canvases");
    const step = ({ steps }: Explained, rule: AccessRule) =>
      steps.find((each) => each.rule === rule) ?? assert.fail(rule);
    /** Whether a person really gets the page, and the API. */
    const gets = async (who: Person | null) => ({
      pages: (await visit(target, site.slug, who)).status === 200,
      api: (await manage(target, who, "GET", `/v1/c/${site.slug}/me`)).status === 200,
    });
    const verdict = ({ pages, api }: Explained) => ({ pages, api });

    for (const access of ["private", "whole_org", "public_link"] as const)
      it(`${access}: an address that has never signed in gets what is explained at its first sign-in`, async () => {
        const [listed, teammate] = [freshEmail("listed"), freshEmail("teammate")];
        const team = await makeTeam(target, site.people.owner, [{ email: teammate } as Person]);
        await share(target, site, access, {}, { teams: [{ id: team.id, role: "viewer" }] });
        await amend(target, site, { people: [{ email: listed, role: "editor" }] });
        for (const email of [listed, teammate, freshEmail("colleague"), foreignEmail("foreigner")]) {
          const before = await about(email);
          assert.deepEqual(before.subject, { kind: "unknown", email, name: null });
          assert.equal(await env.db.get`select 1 from users where email = ${email}`, undefined);
          const person = await target.signIn(email);
          assert.deepEqual(verdict(before), await gets(person), email);
          const { json } = await manage(target, person, "GET", `/v1/c/${site.slug}/me`);
          if (before.api)
            assert.deepEqual([before.role, before.permissions], [json.canvasRole, json.permissions]);
        }
      });

    it("an address is normalized", async () => {
      const { email, name } = site.people.viewer;
      await share(target, site, "private", { viewer: "viewer" });
      const answer = await about(`  ${email.toUpperCase()} `);
      assert.deepEqual(answer.subject, { kind: "member", email, name });
      assert.equal(answer.role, "viewer");
    });

    it("a deactivated member cannot sign in, and opens a Public link as anybody does", async () => {
      const person = await target.signIn(freshEmail("leaver"));
      await amend(target, site, { access: "private", people: [{ email: person.email, role: "editor" }] });
      assert.equal((await about(person.email)).role, "editor");
      await deactivate(target, person);
      const closed = await about(person.email);
      assert.deepEqual(
        [closed.subject.kind, closed.code, closed.role],
        ["member", "NOT_AUTHENTICATED", null],
      );
      assert.match(step(closed, "signed_in").because, /deactivated/);
      assert.deepEqual(verdict(closed), await gets(person));
      await amend(target, site, { access: "public_link" });
      const open = await about(person.email);
      assert.deepEqual([open.pages, open.code, open.role], [true, "STATIC_ONLY", "viewer"]);
      assert.match(step(open, "signed_in").because, /deactivated.*Public link/);
      assert.deepEqual(verdict(open), await gets(person));
    });

    it("a guest is explained until the invitation is revoked, and then as somebody who cannot sign in", async () => {
      await share(target, site, "private", {});
      const guest = await guestOf(target, site);
      const query = `invite=${guest.invite.id}`;
      const { subject, grants, ...open } = await explained(query);
      assert.deepEqual(subject, { kind: "guest", email: guest.email, name: guest.name });
      assert.deepEqual(grants, [{ via: "invitation", role: "viewer" }]);
      assert.deepEqual({ pages: open.pages, api: open.api }, await gets(guest));
      await revoke(target, site, guest);
      const closed = await explained(query);
      assert.equal(closed.code, "NOT_AUTHENTICATED");
      assert.match(step(closed, "signed_in").because, /revoked/);
      assert.deepEqual(verdict(closed), await gets(guest));
    });

    it("an address of a domain that may not sign in is refused", async () => {
      const email = "someone@elsewhere.example";
      await amend(target, site, { access: "whole_org", people: [{ email, role: "editor" }] });
      const answer = await about(email);
      assert.deepEqual([answer.subject.kind, answer.code], ["unknown", "NOT_AUTHENTICATED"]);
      assert.match(step(answer, "signed_in").because, /elsewhere\.example cannot sign in/);
      await assert.rejects(target.signIn(email));
    });

    it("all ways to a role are listed, the strongest first", async () => {
      const { viewer, owner } = site.people;
      const [first, second] = [
        await makeTeam(target, owner, [viewer, owner]),
        await makeTeam(target, owner, [viewer]),
      ];
      const teams = [
        { id: first.id, role: "viewer" as const },
        { id: second.id, role: "editor" as const },
      ];
      await share(target, site, "whole_org", { viewer: "viewer" }, { teams });
      const { grants, role } = await about(viewer.email);
      assert.equal(role, "editor");
      assert.deepEqual(grants.map(({ via, role }) => `${via} ${role}`).toSorted(), [
        "organisation viewer",
        "person viewer",
        "team editor",
        "team viewer",
      ]);
      assert.deepEqual(grants[0], { via: "team", role: "editor", team: "A team" });
      assert.equal(grants.at(-1)?.via, "organisation");
      const ofOwner = await about(owner.email);
      assert.deepEqual(
        ofOwner.grants.map(({ via }) => via),
        ["owner", "team", "organisation"],
      );
      await amend(target, site, { access: "public_link", people: [], teams: [] });
      assert.deepEqual((await explained("as=anonymous")).grants, [{ via: "link", role: "viewer" }]);
    });

    it("the password is asked, and the rights are those behind it", async () => {
      await share(target, site, "whole_org", {}, { password: "open sesame" });
      const asked = await about(site.people.stranger.email);
      assert.deepEqual([asked.pages, asked.api, asked.code], [false, false, "PASSWORD_REQUIRED"]);
      assert.deepEqual(step(asked, "password").closes, ["pages", "api"]);
      assert.equal(asked.permissions.canSubmit, true);
      assert.equal((await about(site.people.owner.email)).code, null);
      await env.db.run`update canvases set expires_at = 1 where id = ${site.id}`;
      const ended = await about(site.people.stranger.email);
      assert.deepEqual([ended.code, step(ended, "password").outcome], ["SHARE_EXPIRED", "not_reached"]);
      assert.equal(ended.permissions.canSubmit, false);
      await amend(target, site, { password: null, expiresAt: null });
    });

    it("an editor learns nothing of people of other organisations who have no role", async () => {
      const [active, leaver] = [
        await target.signIn(foreignEmail("active")),
        await target.signIn(foreignEmail("leaver")),
      ];
      await deactivate(target, leaver);
      const none = foreignEmail("none");
      for (const access of ["private", "whole_org", "public_link"] as const) {
        await amend(target, site, { access, people: [], teams: [] });
        const unknown = JSON.stringify(await about(none)).replaceAll(none, "");
        for (const { email } of [active, leaver])
          assert.equal(JSON.stringify(await about(email)).replaceAll(email, ""), unknown, access);
      }
      const seen = await toAdmin(active.email);
      assert.deepEqual(seen.subject, { kind: "member", email: active.email, name: active.name });
      assert.match(step(await toAdmin(leaver.email), "signed_in").because, /deactivated/);
    });

    it("a person on the list is named; one in a team that the editor does not see is not, nor is the team", async () => {
      const [listed, teammate] = [
        await target.signIn(foreignEmail("listed")),
        await target.signIn(foreignEmail("teammate")),
      ];
      const maker = await target.signIn(freshEmail("maker"));
      await amend(target, site, {
        access: "private",
        people: [
          { email: listed.email, role: "viewer" },
          { email: maker.email, role: "editor" },
        ],
      });
      const team = await makeTeam(target, maker, [teammate]);
      const path = `/api/canvases/${site.id}/sharing`;
      const teams = [{ id: team.id, role: "viewer" }];
      assert.equal((await manage(target, maker, "PUT", path, { teams })).status, 200);
      assert.equal((await about(listed.email)).subject.name, listed.name);
      const hidden = await about(teammate.email);
      assert.deepEqual(hidden.subject, { kind: "member", email: teammate.email, name: null });
      assert.deepEqual(hidden.grants, [{ via: "team", role: "viewer" }]);
      assert.doesNotMatch(JSON.stringify(hidden), /A team"/);
      const shown = await about(teammate.email, maker);
      assert.equal(shown.subject.name, teammate.name);
      assert.deepEqual(shown.grants, [{ via: "team", role: "viewer", team: "A team" }]);
      await deactivate(target, teammate);
      assert.equal((await about(teammate.email)).code, "NOT_AUTHENTICATED");
    });

    it("invitations to other canvases are unknown to editors, and refused ones to administrators", async () => {
      const elsewhere = await stage(target, { people: site.people });
      const { id } = await invite(target, elsewhere);
      refused(await ask(`invite=${id}`), 404, "NOT_FOUND");
      refused(await ask("invite=none", admin, "/api/admin/canvases"), 404, "NOT_FOUND");
      const answer = await explained(`invite=${id}`, admin, "/api/admin/canvases");
      assert.deepEqual([answer.code, step(answer, "other_guest").outcome], ["NOT_INVITED", "refused"]);
    });

    it("viewers, strangers, guests and anonymous callers may not ask", async () => {
      await share(target, site, "whole_org", { editor: "editor", viewer: "viewer" });
      const { editor, viewer, stranger } = site.people;
      const guest = await accept(target, await invite(target, site));
      const query = `email=${viewer.email}`;
      assert.equal((await ask(query, editor)).status, 200);
      refused(await ask(query, viewer), 403, "PERMISSION_DENIED");
      refused(await ask(query, stranger), 404, "NOT_FOUND");
      refused(await ask(query, admin), 404, "NOT_FOUND");
      refused(await ask(query, guest), 403, "PERMISSION_DENIED");
      unauthenticated(await ask(query, null));
      refused(await ask(query, editor, "/api/admin/canvases"), 403, "PERMISSION_DENIED");
      const none = { ...site, id: "none" };
      refused(await ask(query, admin, "/api/admin/canvases", none), 404, "NOT_FOUND");
    });

    const wrong = [
      "",
      "email=",
      "email=ada",
      "email=a@example.com,b@example.com",
      "as=somebody",
      "as=ANONYMOUS",
      "invite=%00",
      "invite=a%2Fb",
      "email=a@example.com&as=anonymous",
      "as=anonymous&invite=none",
    ];
    for (const query of wrong)
      it(`?${query}: 400 INVALID_BODY`, async () => {
        refused(await ask(query), 400, "INVALID_BODY");
      });

    it("a query that names nobody is told what it may name", async () => {
      assert.match(String((await ask("")).json.message), /exactly one of `email`, `as` and `invite`/);
    });

    it("a deleted canvas is explained to administrators alone", async () => {
      const { owner } = site.people;
      assert.equal((await manage(target, owner, "DELETE", `/api/canvases/${site.id}`)).status, 204);
      refused(await ask("as=anonymous"), 404, "NOT_FOUND");
      const answer = await toAdmin(owner.email);
      assert.deepEqual([answer.code, step(answer, "exists").outcome], ["NOT_FOUND", "refused"]);
    });
  },
  { SERVICE_TENANCY: "on", SERVICE_ALLOWED_EMAIL_DOMAINS: "example.com,other.example" },
);
