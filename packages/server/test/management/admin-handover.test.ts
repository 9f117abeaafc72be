import assert from "node:assert/strict";
import { before, it } from "node:test";
import { amend, manage, type Stage, stage } from "@easel/conformance/fixture";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import { makeTeam } from "@easel/conformance/team";
import { tokenOf } from "@easel/conformance/token";
import { handOver } from "../../src/organisation/handover.ts";
import { deactivateWithoutCanvases, updateUser } from "../../src/organisation/user-details.ts";
import { whole } from "../support/canvas.ts";
import { changedDb } from "../support/changed-db.ts";
import { onEngines } from "../support/engines.ts";

await onEngines(
  "administration: people who leave",
  (target, env) => {
    let admin: Person;
    let leaver: Person;
    let leaverId: string;
    let heir: Person;
    let heirId: string;
    const idOf = async (person: Person) => String((await manage(target, person, "GET", "/api/me")).json.id);
    before(async () => {
      admin = await target.signIn(target.admin);
    });

    const administer = (method: string, path: string, body?: object) =>
      manage(target, admin, method, `/api/admin${path}`, body);
    const handover = (body: object, id = leaverId) => administer("POST", `/users/${id}/handover`, body);
    const ownersOf = (...ids: string[]) =>
      Promise.all(
        ids.map(async (id) => {
          const row = await env.db.get<{ email: string }>`
            select email from canvases join users on users.id = owner_id where canvases.id = ${id}`;
          return row?.email;
        }),
      );

    /** Signs in somebody who owns canvases, and somebody who takes them. */
    async function people(canvases: number): Promise<Stage[]> {
      leaver = await target.signIn(freshEmail("leaver"), "Leaver");
      heir = await target.signIn(freshEmail("heir"), "Heir");
      [leaverId, heirId] = [await idOf(leaver), await idOf(heir)];
      const cast = { owner: leaver, editor: heir, viewer: admin, stranger: admin };
      const stages: Stage[] = [];
      for (let index = 0; index < canvases; index++) {
        stages.push(await stage(target, { people: cast }));
        await amend(target, stages.at(-1) as Stage, { people: [] });
      }
      return stages;
    }

    it("a user has usage, sessions and tokens", async () => {
      await people(2);
      await target.signIn(leaver.email);
      await tokenOf(target, leaver);
      await tokenOf(target, leaver, Date.now() + 60_000);
      await env.db
        .run`update tokens set expires_at = 1 where expires_at is not null and user_id = ${leaverId}`;
      const { json, status } = await administer("GET", `/users/${leaverId}`);
      assert.equal(status, 200);
      assert.deepEqual([json.sessions, json.tokens, json.email, json.canvases], [2, 1, leaver.email, 2]);
      assert.deepEqual(json.usage, {
        "canvases.person": { used: 2, limit: env.config.quotaCanvases },
        "bundles.bytes.person": { used: 0, limit: env.config.quotaBundleBytes },
        "files.bytes.person": { used: 0, limit: env.config.quotaFilesBytes },
        "versions.canvas": { used: 0, limit: env.config.versionsKept },
      });
      await administer("PATCH", `/users/${leaverId}`, { quotas: { "canvases.person": 7 } });
      const { usage } = (await administer("GET", `/users/${leaverId}`)).json as {
        usage: Record<string, object>;
      };
      assert.deepEqual(usage["canvases.person"], { used: 2, limit: 7 });
      for (const id of ["none", heirId.slice(1), "%00"]) {
        const answer = await administer("GET", `/users/${id}`);
        refused(answer, 404, "NOT_FOUND");
      }
    });

    it("the preview lists canvases in pages, their active editors, and teams", async () => {
      const [one, two, three] = (await people(3)) as [Stage, Stage, Stage];
      const gone = await target.signIn(freshEmail("gone"));
      await env.db.run`update users set deactivated_at = 1 where email = ${gone.email}`;
      const entry = (email: string, role = "editor") => ({ email, role });
      await amend(target, one, {
        people: [
          entry(heir.email),
          entry(gone.email),
          entry("never@example.com"),
          entry(admin.email, "viewer"),
        ],
      });
      const team = await makeTeam(target, leaver, [leaver, heir]);
      await amend(target, two, { teams: [{ id: team.id, role: "editor" }] });
      assert.equal((await manage(target, leaver, "DELETE", `/api/canvases/${three.id}`)).status, 204);
      type Preview = {
        canvases: { id: string; slug: string; title: string; editors: string[] }[];
        nextCursor: string | null;
        teams: { id: string; members: number }[];
        sessions: number;
      };
      const preview = async (query = "") =>
        (await administer("GET", `/users/${leaverId}/handover${query}`)).json as unknown as Preview;
      const all = await preview();
      assert.deepEqual(
        all.canvases.map(({ id, slug, editors }) => [id, slug, editors]),
        [
          [two.id, two.slug, [heir.email]],
          [one.id, one.slug, [heir.email]],
        ],
      );
      assert.deepEqual([all.nextCursor, all.sessions, all.teams.length], [null, 1, 1]);
      assert.deepEqual([all.teams[0]?.id, all.teams[0]?.members], [team.id, 2]);
      const first = await preview("?limit=1");
      assert.deepEqual([first.canvases[0]?.id, first.canvases.length], [two.id, 1]);
      const second = await preview(`?limit=1&cursor=${first.nextCursor}`);
      assert.deepEqual([second.canvases[0]?.id, second.nextCursor], [one.id, null]);
    });

    it("of a canvas with many editors the preview names 20", async () => {
      const [site] = (await people(1)) as [Stage];
      for (let index = 10; index < 33; index++) {
        const email = `many${index}@example.com`;
        await env.db
          .run`insert into users (id, email, name, created_at) values (${`m-${leaverId}-${index}`}, ${email}, '', 0)
          on conflict do nothing`;
        await env.db
          .run`insert into canvas_people (canvas_id, email, role) values (${site.id}, ${email}, 'editor')`;
      }
      const { canvases } = (await administer("GET", `/users/${leaverId}/handover`)).json as unknown as {
        canvases: { editors: string[] }[];
      };
      const expected = Array.from({ length: 20 }, (_, index) => `many${index + 10}@example.com`);
      assert.deepEqual(canvases[0]?.editors, expected);
    });

    it("a handover moves canvases with their slugs and teams, and deactivates last", async () => {
      const [one, two] = (await people(2)) as [Stage, Stage];
      const team = await makeTeam(target, leaver, [heir]);
      await amend(target, one, { people: [{ email: heir.email, role: "editor" }] });
      const body = { to: heir.email, teams: true, deactivate: true, reason: "Has left." };
      const { json, status, text } = await handover(body);
      assert.equal(status, 200, text);
      assert.deepEqual(json, { moved: 3, left: [], remaining: 0, deactivated: true });
      for (const { id } of [one, two]) {
        const { viewerRole, people: listed } = whole(
          (await manage(target, heir, "GET", `/api/canvases/${id}`)).json,
        );
        assert.deepEqual([viewerRole, listed], ["owner", []]);
      }
      const { createdBy } = (await manage(target, heir, "GET", `/api/teams/${team.id}`)).json;
      assert.equal(createdBy, heirId);
      unauthenticated(await manage(target, leaver, "GET", "/api/me"));
      const entries = await env.db.all<{ act: string; canvas_id: string; target: string; details: string }>`
        select act, canvas_id, target, details from audit where actor_email = ${admin.email} order by id desc limit 3`;
      assert.deepEqual(
        entries.map(({ act, canvas_id, target }) => [act, canvas_id, target]),
        [
          ["user.handover", null, leaverId],
          ["canvas.reassign", two.id, heir.email],
          ["canvas.reassign", one.id, heir.email],
        ],
      );
      assert.deepEqual(JSON.parse(entries[1]?.details ?? ""), {
        from: leaver.email,
        to: heir.email,
        reason: "Has left.",
      });
    });

    it("without deactivation the person stays an editor; repeating it moves nothing", async () => {
      const [one, two] = (await people(2)) as [Stage, Stage];
      const body = { to: heir.email, canvases: [one.id], deactivate: false };
      assert.deepEqual((await handover(body)).json, { moved: 1, left: [], remaining: 1, deactivated: false });
      assert.deepEqual(await ownersOf(one.id, two.id), [heir.email, leaver.email]);
      const { viewerRole } = (await manage(target, leaver, "GET", `/api/canvases/${one.id}`)).json;
      assert.equal(viewerRole, "editor");
      assert.deepEqual((await handover(body)).json, { moved: 0, left: [], remaining: 1, deactivated: false });
    });

    it("what cannot be moved is left with the reason, and nobody is deactivated", async () => {
      const [one, two] = (await people(2)) as [Stage, Stage];
      const other = await stage(target);
      await env.db
        .run`insert into user_quotas (user_id, name, value) values (${heirId}, 'canvases.person', 1)`;
      const { json } = await handover({ to: heir.email, deactivate: true });
      const full = { id: two.id, code: "QUOTA_EXCEEDED", quota: "canvases.person" };
      assert.deepEqual(json, { moved: 1, left: [full], remaining: 1, deactivated: false });
      assert.deepEqual(await ownersOf(one.id, two.id), [heir.email, leaver.email]);
      const ids = [other.id, "none", two.id];
      const again = (await handover({ to: heir.email, canvases: ids, deactivate: true })).json;
      const gone = (id: string) => ({ id, code: "NOT_FOUND", quota: null });
      assert.deepEqual(again.left, [gone(other.id), gone("none"), full]);
      assert.deepEqual(await ownersOf(other.id), [other.people.owner.email]);
      assert.equal((await manage(target, leaver, "GET", "/api/me")).status, 200);
      await env.db.run`delete from user_quotas where user_id = ${heirId}`;
      const done = { moved: 1, left: [], remaining: 0, deactivated: true };
      assert.deepEqual((await handover({ to: heir.email, deactivate: true })).json, done);
    });

    it("a canvas that is not handed over keeps the person active", async () => {
      const [one, two] = (await people(2)) as [Stage, Stage];
      const body = { to: heir.email, canvases: [two.id], deactivate: true };
      const first = (await handover(body)).json;
      assert.deepEqual(first, { moved: 1, left: [], remaining: 1, deactivated: false });
      assert.equal(await deactivateWithoutCanvases(leaverId, await idOf(admin), env), false);
      assert.deepEqual(await ownersOf(one.id), [leaver.email]);
    });

    it("a team that the new owner has no room for is left", async () => {
      await people(0);
      const team = await makeTeam(target, leaver, []);
      for (let index = 0; index < 200; index++)
        await env.db
          .run`insert into teams (id, name, created_by, created_at) values (${`${heirId}-${index}`}, 'T', ${heirId}, 0)`;
      const { json } = await handover({ to: heir.email, teams: true, deactivate: true });
      assert.deepEqual(json, {
        moved: 0,
        left: [{ id: team.id, code: "KEY_LIMIT", quota: null }],
        remaining: 0,
        deactivated: false,
      });
    });

    it("a failure in the middle leaves whole canvases, and the next call goes on", async () => {
      const stages = await people(3);
      let batches = 0;
      const failing = {
        ...env,
        db: changedDb(env.db, {
          batch(steps) {
            batches += 1;
            if (batches === 2) throw new Error("no database");
            return env.db.batch(steps);
          },
        }),
      };
      const by = { actor: { id: await idOf(admin), email: admin.email, name: "Admin" }, address: "::1" };
      const what = { teams: false, deactivate: true, reason: null };
      const call = (using: typeof env) =>
        handOver(
          { id: leaverId, email: leaver.email },
          { id: heirId, email: heir.email },
          what,
          by,
          new AbortController().signal,
          using,
        );
      await assert.rejects(call(failing), /no database/);
      const ids = stages.map(({ id }) => id);
      assert.deepEqual(await ownersOf(...ids), [heir.email, leaver.email, leaver.email]);
      assert.deepEqual(await call(env), { moved: 2, left: [], remaining: 0, deactivated: true });
      const recorded = await env.db.all<{ canvas_id: string }>`
        select canvas_id from audit where act = 'canvas.reassign' and target = ${heir.email} order by id`;
      assert.deepEqual(
        recorded.map(({ canvas_id }) => canvas_id),
        ids,
      );
    });

    it("a client that has gone stops the handover", async () => {
      const [site] = (await people(1)) as [Stage];
      const by = { actor: { id: "a", email: admin.email, name: "Admin" }, address: "::1" };
      const from = { id: leaverId, email: leaver.email };
      const to = { id: heirId, email: heir.email };
      const what = { teams: false, deactivate: false, reason: null };
      await assert.rejects(handOver(from, to, what, by, AbortSignal.abort(), env), { name: "AbortError" });
      assert.deepEqual(await ownersOf(site.id), [leaver.email]);
    });

    it("concurrent handovers to two members give each canvas one owner", async () => {
      const stages = await people(4);
      const second = await target.signIn(freshEmail("second"));
      const answers = await Promise.all(
        [heir.email, second.email].map((to) => handover({ to, deactivate: false })),
      );
      for (const { status, text } of answers) assert.equal(status, 200, text);
      const moved = answers.reduce((sum, { json }) => sum + Number(json.moved), 0);
      assert.equal(moved, 4);
      const owners = await ownersOf(...stages.map(({ id }) => id));
      assert.ok(owners.every((email) => email === heir.email || email === second.email));
    });

    it("bad bodies: 400, and nothing changes", async () => {
      const [site] = (await people(1)) as [Stage];
      await env.db.run`update users set deactivated_at = 1 where id = ${heirId}`;
      const ok = { to: admin.email, deactivate: false };
      const bodies: object[] = [
        {},
        { to: admin.email },
        { ...ok, to: "nobody@example.com" },
        { ...ok, to: heir.email },
        { ...ok, to: leaver.email },
        { ...ok, to: "x" },
        { ...ok, canvases: ["", site.id] },
        { ...ok, canvases: [site.id, site.id] },
        { ...ok, canvases: Array.from({ length: 1001 }, (_, index) => `c${index}`) },
        { ...ok, reason: "x".repeat(501) },
        { ...ok, deactivate: null },
        { ...ok, more: 1 },
      ];
      for (const body of bodies) refused(await handover(body), 400, "INVALID_BODY");
      refused(await handover(ok, "none"), 404, "NOT_FOUND");
      refused(await handover({ ...ok, deactivate: true }, await idOf(admin)), 400, "INVALID_BODY");
      assert.deepEqual(await ownersOf(site.id), [leaver.email]);
    });

    it("an administrator makes any member the owner of a canvas", async () => {
      const [site] = (await people(1)) as [Stage];
      const give = (email: string, id = site.id) =>
        administer("PUT", `/canvases/${id}/owner`, { email, reason: "Asked." });
      refused(await give("nobody@example.com"), 400, "INVALID_BODY");
      refused(await give(heir.email, "none"), 404, "NOT_FOUND");
      await env.db
        .run`insert into user_quotas (user_id, name, value) values (${heirId}, 'canvases.person', 0)`;
      refused(await give(heir.email), 409, "QUOTA_EXCEEDED");
      await env.db.run`delete from user_quotas where user_id = ${heirId}`;
      await env.db.run`update canvases set disabled_at = 1 where id = ${site.id}`;
      for (let times = 0; times < 2; times++) {
        const { json, status, text } = await give(heir.email.toUpperCase());
        assert.equal(status, 200, text);
        assert.deepEqual(json.owner, { id: heirId, email: heir.email, name: "Heir" });
      }
      const { viewerRole } = (await manage(target, leaver, "GET", `/api/canvases/${site.id}`)).json;
      assert.equal(viewerRole, "editor");
      assert.equal((await manage(target, heir, "DELETE", `/api/canvases/${site.id}`)).status, 409);
      await env.db.run`update canvases set deleted_at = ${Date.now()} where id = ${site.id}`;
      refused(await give(leaver.email), 404, "NOT_FOUND");
    });

    it("signing a user out ends sessions and tokens, or sessions alone; they may sign in again", async () => {
      await people(0);
      const token = await tokenOf(target, leaver);
      const signOut = (body?: object) => administer("POST", `/users/${leaverId}/sign-out`, body);
      assert.equal((await signOut({ tokens: false })).status, 204);
      unauthenticated(await manage(target, leaver, "GET", "/api/me"));
      assert.equal((await manage(target, token, "GET", "/api/me")).status, 200);
      const back = await target.signIn(leaver.email);
      const code = { canvas: null, now: Date.now() + 60_000 };
      await env.db.run`
        insert into oauth_codes (secret_hash, host, scope, user_id, denied, expires_at)
        values (${`code-${leaverId}`}, 'easel', 'full', ${leaverId}, 0, ${code.now})`;
      assert.equal((await signOut()).status, 204);
      for (const who of [back, token]) unauthenticated(await manage(target, who, "GET", "/api/me"));
      assert.deepEqual(await env.db.all`select * from oauth_codes where user_id = ${leaverId}`, []);
      assert.equal(await idOf(await target.signIn(leaver.email)), leaverId);
      assert.equal((await manage(target, heir, "GET", "/api/me")).status, 200);
      refused(await administer("POST", "/users/none/sign-out"), 404, "NOT_FOUND");
      refused(await signOut({ tokens: 1 }), 400, "INVALID_BODY");
    });

    it("administrators who deactivate each other at once: one of them stays", async () => {
      for (let rounds = 0; rounds < 4; rounds++) {
        const both = [await target.signIn("root@example.com"), await target.signIn("other@example.com")];
        const ids = await Promise.all(both.map(idOf));
        const answers = await Promise.all(
          both.map((who, index) =>
            manage(target, who, "PATCH", `/api/admin/users/${ids[1 - index]}`, { deactivated: true }),
          ),
        );
        const statuses = answers.map(({ status }) => status).sort();
        assert.equal(statuses[0], 200, statuses.join());
        assert.ok(statuses[1] === 401 || statuses[1] === 403, statuses.join());
        const active = await env.db.all`
          select id from users where id in (${String(ids[0])}, ${String(ids[1])}) and deactivated_at is null`;
        assert.equal(active.length, 1);
        await env.db.run`update users set deactivated_at = null`;
      }
    });

    it("an administrator who has been deactivated, or who means themself, deactivates nobody", async () => {
      await people(0);
      const patch = { deactivated: true, canPublishPublic: false };
      await env.db.run`update users set deactivated_at = 1 where id = ${heirId}`;
      assert.equal(await updateUser(leaverId, patch, heirId, env), "not_allowed");
      assert.equal(await deactivateWithoutCanvases(leaverId, heirId, env), false);
      assert.equal(await updateUser(leaverId, patch, leaverId, env), "not_allowed");
      assert.equal(await deactivateWithoutCanvases(leaverId, leaverId, env), false);
      const { canPublishPublic } = (await manage(target, leaver, "GET", "/api/me")).json;
      assert.equal(canPublishPublic, true, "nothing of the patch was done");
      assert.equal(await updateUser(leaverId, { deactivated: false }, heirId, env), "done");
    });
  },
  { SERVICE_ADMIN_EMAILS: "dev@example.com,root@example.com,other@example.com" },
);
