import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { type Answer, send } from "@easel/conformance/http";
import { HandOver, jar, NAVIGATES } from "../sign-in/hand-over.ts";
import { onSqlite } from "../support/engines.ts";
import { publish } from "../support/publish.ts";

await onSqlite(
  "previews on the hosts of canvases",
  (target) => {
    const { base } = target;
    const way = new HandOver(base);
    let site: Stage;
    let old: string;
    before(async () => {
      site = await stage(target);
      old = await publish(target, site, { "index.html": "old page" });
      await publish(target, site, { "index.html": "live page" });
    });

    async function opened(body: object): Promise<Answer> {
      const path = `/api/canvases/${site.id}/versions/${old}/preview`;
      const { json, text } = await manage(target, site.people.editor, "POST", path, body);
      const url = new URL(String(json.url), base);
      assert.equal(url.origin, base.replace("://", `://${site.slug}.`), text);
      const answer = await way.at(site.slug, url.pathname + url.search);
      assert.deepEqual([answer.status, answer.headers.location], [303, `${url.origin}/`]);
      return answer;
    }
    const cookies = ({ headers }: Answer) => headers["set-cookie"] ?? [];
    const pair = (cookie = "") => cookie.split(";")[0] ?? "";
    const page = (...pairs: string[]) => way.at(site.slug, "/", [...NAVIGATES, jar(...pairs)]);

    it("the pin is a cookie of the host; the ladder asks for a sign-in first", async () => {
      const set = cookies(await opened({}));
      assert.equal(set.length, 1);
      assert.match(set[0] ?? "", /^easel_preview=[^;]+; Max-Age=2100; Path=\/; HttpOnly; SameSite=Lax$/);
      const pin = pair(set[0]);
      const signedOut = await page(pin);
      assert.equal(signedOut.status, 302);
      assert.ok(signedOut.headers.location?.startsWith(`${base}/auth/canvas?`));
      for (const [role, text] of [
        ["owner", "old page"],
        ["viewer", "live page"],
      ] as const) {
        const entered = await way.through(site.slug, site.people[role].headers);
        assert.equal((await page(pin, entered)).text, text, role);
      }
    });

    it("signedIn: the session is of this host, and of the runtime API of this canvas on the base host", async () => {
      await manage(target, site.people.owner, "PATCH", `/api/canvases/${site.id}/capabilities`, {
        backendEnabled: true,
      });
      const set = cookies(await opened({ signedIn: true }));
      const domain = `Domain=${new URL(base).hostname}; `;
      const sessions = set.filter((cookie) => cookie.startsWith("easel_preview_session="));
      const places = sessions.map((cookie) => /Max-Age=600; (.*); HttpOnly; SameSite=Lax$/.exec(cookie)?.[1]);
      assert.deepEqual(places, ["Path=/", `${domain}Path=/v1/c/${site.slug}`, `${domain}Path=/sdk/v1.js`]);
      const [session, pin] = [pair(sessions[0]), pair(set.at(-1))];
      assert.equal((await page(session, pin)).text, "old page");
      assert.equal((await way.at(site.slug, "/sdk/v1.js", [jar(session)])).status, 200);
      const at = (path: string) => send(base, { method: "GET", path, headers: [jar(session)] });
      const me = await at(`/v1/c/${site.slug}/me`);
      assert.equal(me.json.email, site.people.editor.email, me.text);
      assert.equal((await at("/sdk/v1.js")).status, 200);
      assert.equal((await at("/api/me")).status, 401);
      const other = await stage(target, { people: site.people });
      await publish(target, other, { "index.html": "other" });
      assert.equal((await way.at(other.slug, "/", [...NAVIGATES, jar(session)])).status, 302);
    });

    it("it is left on the host", async () => {
      const pin = pair(cookies(await opened({}))[0]);
      const shown = await way.at(site.slug, "/__preview", [...NAVIGATES, jar(pin)]);
      assert.match(shown.text, /Leave the preview/);
      const left = await way.at(site.slug, "/__preview", [jar(pin)], "POST");
      assert.equal(left.status, 303);
      assert.ok(cookies(left).includes("easel_preview=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"));
    });
  },
  { SERVICE_URL_MODE: "subdomain" },
);
