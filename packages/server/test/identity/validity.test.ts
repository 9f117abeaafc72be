import assert from "node:assert/strict";
import { it } from "node:test";
import { manage, stage } from "@easel/conformance/fixture";
import { accept, guestOf, invite } from "@easel/conformance/guest";
import { send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { freshEmail, type Person } from "@easel/conformance/target";
import { limitTokenAges } from "../../src/identity/token-ages.ts";
import { FORM, post } from "../support/client.ts";
import { connectTool } from "../support/connected-tool.ts";
import { onEngines } from "../support/engines.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

await onEngines(
  "how long links and tokens are valid",
  (target, env) => {
    const isIn = async (person: Person) => (await manage(target, person, "GET", "/api/me")).status === 200;

    it("the link of an invitation ends, and the guest who has entered stays", async () => {
      const site = await stage(target);
      const path = `/api/canvases/${site.id}/invites`;
      const ask = (linkExpiresAt: unknown) =>
        manage(target, site.people.owner, "POST", path, { email: freshEmail("guest"), linkExpiresAt });
      const usual = await ask(null);
      assert.ok(Math.abs(Number(usual.json.linkExpiresAt) - Date.now() - 10 * DAY_MS) < DAY_MS, usual.text);
      const soon = Date.now() + DAY_MS;
      assert.equal((await ask(soon)).json.linkExpiresAt, soon);
      for (const end of [Date.now() + 11 * DAY_MS, Date.now() - 1, "never"])
        refused(await ask(end), 400, "INVALID_BODY");
      const [entered, late] = [await guestOf(target, site), await invite(target, site)];
      await env.db.run`update invites set link_expires_at = ${Date.now() - 1}`;
      await assert.rejects(accept(target, late));
      await assert.rejects(accept(target, entered.invite));
      assert.ok(await isIn(entered));
      type Listed = { id: string; linkExpiresAt: number };
      const listed = (await manage(target, site.people.owner, "GET", path)).json.invites as Listed[];
      assert.ok(listed.length === 4 && listed.every(({ linkExpiresAt }) => linkExpiresAt < Date.now()));
      // An older release that runs beside this one makes links without an end.
      await env.db.run`update invites set link_expires_at = null where id = ${late.id}`;
      await accept(target, late);
      await env.db.run`update invites set created_at = ${Date.now() - 31 * DAY_MS} where id = ${late.id}`;
      await assert.rejects(accept(target, late));
    });

    it("a guest gets another link, in place of the former one, and stays the same guest", async () => {
      const site = await stage(target);
      const { owner, editor } = site.people;
      const guest = await guestOf(target, site);
      const renew = (id: string, by = owner, body: object = {}, canvas = site.id) =>
        manage(target, by, "POST", `/api/canvases/${canvas}/invites/${id}/link`, body);
      const answer = await renew(guest.invite.id);
      assert.deepEqual(
        [answer.status, answer.json.id, answer.json.email],
        [201, guest.invite.id, guest.invite.email],
      );
      await assert.rejects(accept(target, guest.invite), "the former link");
      assert.ok(await isIn(guest));
      const again = await accept(target, { ...guest.invite, url: String(answer.json.url) });
      const ids = await Promise.all(
        [guest, again].map(async (who) => (await manage(target, who, "GET", "/api/me")).json.id),
      );
      assert.deepEqual(ids, Array(2).fill(`guest:${guest.invite.id}`));
      const soon = Date.now() + DAY_MS;
      assert.equal((await renew(guest.invite.id, owner, { linkExpiresAt: soon })).json.linkExpiresAt, soon);
      refused(
        await renew(guest.invite.id, owner, { linkExpiresAt: Date.now() + 11 * DAY_MS }),
        400,
        "INVALID_BODY",
      );
      refused(await renew(guest.invite.id, editor), 403, "OWNER_ONLY");
      const other = await stage(target);
      refused(await renew(guest.invite.id, other.people.owner, {}, other.id), 404, "NOT_FOUND");
      refused(await renew("none"), 404, "NOT_FOUND");
      await manage(target, owner, "DELETE", `/api/canvases/${site.id}/invites/${guest.invite.id}`);
      refused(await renew(guest.invite.id), 404, "NOT_FOUND");
    });

    it("a token is valid no longer than the settings allow, and gets an end if none is chosen", async () => {
      const person = await target.signIn(freshEmail("programmer"));
      const make = (body: object) => manage(target, person, "POST", "/api/tokens", { name: "CI", ...body });
      for (const audience of ["api", "mcp"]) {
        const refusal = await make({ audience, expiresAt: Date.now() + 6 * DAY_MS });
        refused(refusal, 400, "INVALID_BODY");
        assert.match(refusal.text, /at most 5 days/);
        assert.equal((await make({ audience })).status, 201);
      }
      const ends = await env.db.all<{ expires_at: number }>`
        select expires_at from tokens join users on users.id = user_id where email = ${person.email}`;
      assert.equal(ends.length, 2);
      for (const { expires_at } of ends) assert.ok(Math.abs(expires_at - Date.now() - 5 * DAY_MS) < DAY_MS);
    });

    it("the page of tokens offers no end that is later than the settings allow", async () => {
      const person = await target.signIn(freshEmail("reader"));
      const page = await send(target.base, { method: "GET", path: "/tokens", headers: person.headers });
      assert.deepEqual(page.text.match(/In \d+ days/g), ["In 5 days"]);
      assert.ok(!page.text.includes('value="never"') && page.text.includes('value="5" checked'));
      const submit = (end: string) =>
        post(target.base, "/tokens", [...person.headers, FORM], `name=CI&end=${end}`);
      for (const [end, status] of [
        ["5", 201],
        ["never", 400],
        ["90", 400],
      ] as const)
        assert.equal((await submit(end)).status, status, end);
    });

    it("tokens that were made before the limit get it at the start; programs with refresh tokens go on", async () => {
      const person = await target.signIn(freshEmail("before"));
      const program = await connectTool(target.base, person, { clientId: "a-program" }, env);
      const make = async (audience: string) =>
        (await manage(target, person, "POST", "/api/tokens", { name: "CI", audience })).json;
      const [old, own, young] = [await make("api"), await make("mcp"), await make("api")];
      await env.db
        .run`update tokens set expires_at = null where app_id is null or app_id = ${String(own.id)}`;
      await env.db.run`update apps set expires_at = null`;
      const before = Date.now() - 5 * DAY_MS - 1;
      await env.db.run`update tokens set created_at = ${before} where id <> ${String(young.id)}`;
      await env.db.run`update apps set created_at = ${before}`;
      await limitTokenAges(env);
      const bearer = ({ token }: { token?: unknown }): Person => ({
        ...person,
        headers: [["Authorization", `Bearer ${token}`]],
      });
      assert.deepEqual([await isIn(bearer(old)), await isIn(bearer(young))], [false, true]);
      const apps = (await manage(target, person, "GET", "/api/apps")).json.apps as { id: string }[];
      assert.equal(
        apps.some(({ id }) => id === own.id),
        false,
      );
      assert.equal((await program.request("tools/list")).status, 200);
    });
  },
  { SERVICE_INVITE_DAYS: "10", SERVICE_TOKEN_MAX_DAYS: "5" },
);
