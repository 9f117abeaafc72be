import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { before, it, test } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import type { Answer } from "@easel/conformance/http";
import type { Person } from "@easel/conformance/target";
import { tokenOf } from "@easel/conformance/token";
import { PARTS } from "../../src/management/index.ts";
import type { Act, Handler, Routes } from "../../src/management/route.ts";
import { onEngines } from "../support/engines.ts";
import { upload } from "../support/publish.ts";
import { zip } from "../support/zip.ts";

const MANAGEMENT = path.join(import.meta.dirname, "../../src/management");

/** What a caller keeps to themself, wherever an act takes or gives something of the kind. */
const SECRET = "marked-as-a-secret";

type Row = { method: string; at: string; handler: Handler | Act };
const rowsOf = (routes: Routes): Row[] =>
  Object.entries(routes).flatMap(([at, handlers]) =>
    Object.entries(handlers).map(([method, handler]) => ({ method, at, handler })),
  );
const rows = PARTS.flatMap(rowsOf);
const acts = rows.flatMap(({ handler }) => ("act" in handler ? [handler.act] : []));

test("what changes something is an act with a name of its own; what reads is none", () => {
  assert.ok(rows.length > 30 && acts.length > 20);
  for (const { method, at, handler } of rows) {
    assert.match(method, /^(GET|PUT|POST|PATCH|DELETE)$/, at);
    if (method === "GET") assert.equal(typeof handler, "function", at);
    else {
      assert.deepEqual(Object.keys(handler).sort(), ["act", "perform"], `${method} ${at}`);
      assert.match((handler as Act).act, /^[a-z]+\.[a-z-]+$/);
    }
  }
  assert.deepEqual(acts.toSorted(), [...new Set(acts)].sort());
});

test("every table of routes that there is, is mounted", async () => {
  const mounted = new Set(rows.map(({ method, at }) => `${method} ${at}`));
  const sources = readdirSync(MANAGEMENT, { recursive: true, encoding: "utf8" });
  let tables = 0;
  for (const source of sources.filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))) {
    const exported: Record<string, unknown> = await import(path.join(MANAGEMENT, source));
    for (const value of Object.values(exported)) {
      if (typeof value !== "object" || value === null || Array.isArray(value)) continue;
      if (!Object.keys(value).every((key) => key.startsWith("/"))) continue;
      tables++;
      for (const { method, at } of rowsOf(value as Routes)) {
        assert.ok(mounted.has(`${method} ${at}`), `${source}: ${method} ${at}`);
      }
    }
  }
  assert.ok(tables > 10);
});

await onEngines("the acts of the audit log", (target, env) => {
  let admin: Person;
  let site: Stage;
  before(async () => {
    admin = await target.signIn(target.admin);
    site = await stage(target);
  });

  const secrets: string[] = [SECRET];
  const as = async (who: Person, method: string, at: string, body?: object) => {
    const [, value = ""] = who.headers[0] ?? [];
    secrets.push(value.split(/[= ]/).at(-1) as string);
    return manage(target, who, method, `/api${at}`, body);
  };
  const owner = (method: string, at: string, body?: object) => as(site.people.owner, method, at, body);
  const canvas = (method: string, at: string, body?: object) =>
    owner(method, `/canvases/${site.id}${at}`, body);
  const administer = (method: string, at: string, body?: object) => as(admin, method, `/admin${at}`, body);
  const made = async (at: string, body: object) => String((await owner("POST", at, body)).json.id);
  const userId = async (who: Person) => String((await as(who, "GET", "/me")).json.id);

  /** How each act is done, in this order; whatever may hold something secret holds it. */
  const WAYS: Record<string, () => Promise<Answer>> = {
    "token.create": async () => {
      const answer = await owner("POST", "/tokens", { name: "A program" });
      secrets.push(String(answer.json.token), String(answer.json.token).slice("easel_pat_".length));
      return answer;
    },
    "token.delete": async () => owner("DELETE", `/tokens/${await made("/tokens", { name: "Another" })}`),
    "session.revoke": async () => {
      const { email } = site.people.viewer;
      const [one, other] = [await target.signIn(email), await target.signIn(email)];
      const { sessions } = (await as(one, "GET", "/sessions")).json as {
        sessions: { id: string; current: boolean }[];
      };
      await as(other, "GET", "/me");
      return as(one, "DELETE", `/sessions/${sessions.find(({ current }) => !current)?.id}`);
    },
    "team.create": () => owner("POST", "/teams", { name: "A team", members: ["a@example.com"] }),
    "team.update": async () => owner("PATCH", `/teams/${await made("/teams", { name: "B" })}`, { name: "C" }),
    "team.delete": async () => owner("DELETE", `/teams/${await made("/teams", { name: "D" })}`),
    "canvas.create": async () => {
      const program = await tokenOf(target, site.people.owner);
      return as(program, "POST", `/canvases?token=${SECRET}`, { title: "Made by a program" });
    },
    "canvas.update": () => canvas("PATCH", "", { title: "New", metadata: { note: SECRET } }),
    "canvas.deploy": async () =>
      upload(target, site.people.owner, site.id, await zip({ "index.html": SECRET, [`${SECRET}.txt`]: "" })),
    "canvas.unpublish": () => canvas("POST", "/unpublish"),
    "canvas.publish": async () => {
      const { versions } = (await canvas("GET", "/versions")).json as { versions: { id: string }[] };
      return canvas("POST", `/versions/${versions[0]?.id}/publish`);
    },
    "canvas.share": () =>
      canvas("PUT", "/sharing", {
        access: "whole_org",
        password: SECRET,
        people: [{ email: site.people.editor.email, role: "editor" }],
      }),
    "canvas.capabilities": () => canvas("PATCH", "/capabilities", { kv: true, guestAi: false }),
    "canvas.invite": async () => {
      const answer = await canvas("POST", "/invites", { email: "guest@example.com", name: "A guest" });
      secrets.push(String(answer.json.url), String(answer.json.url).split("/").at(-1) as string);
      return answer;
    },
    "canvas.uninvite": async () =>
      canvas(
        "DELETE",
        `/invites/${await made(`/canvases/${site.id}/invites`, { email: "other@example.com" })}`,
      ),
    "canvas.disable": () => administer("POST", `/canvases/${site.id}/disable`, { reason: "A reason." }),
    "canvas.enable": () => administer("POST", `/canvases/${site.id}/enable`),
    "canvas.transfer": () => canvas("PUT", "/owner", { email: site.people.editor.email }),
    "canvas.delete": () => as(site.people.editor, "DELETE", `/canvases/${site.id}`),
    "canvas.restore": () => administer("POST", `/canvases/${site.id}/restore`),
    "user.update": async () =>
      administer("PATCH", `/users/${await userId(site.people.stranger)}`, { deactivated: true }),
    "org.put": () => administer("PUT", "/orgs/acts", { name: "Acts", domains: ["acts.example"] }),
    "org.delete": () => administer("DELETE", "/orgs/acts"),
    "settings.update": () => administer("PATCH", "/settings", { ai: { guestUsd: 2 } }),
  };

  it("this suite does every act there is", () => {
    assert.deepEqual(Object.keys(WAYS).sort(), acts.toSorted());
  });

  for (const [act, perform] of Object.entries(WAYS)) {
    it(`${act} is done and kept`, async () => {
      const count = async () =>
        (await env.db.get<{ kept: number }>`select count(*) as kept from audit where act = ${act}`)?.kept ??
        0;
      const asItWas = await count();
      const { status, text } = await perform();
      assert.ok(status >= 200 && status < 300, `${status} ${text}`);
      assert.ok((await count()) >= asItWas + 1);
      const last = await env.db.get<{ canvas_id: string | null; target: string | null }>`
        select canvas_id, target from audit where act = ${act} order by id desc limit 1`;
      if (act.startsWith("canvas.") && act !== "canvas.create") assert.equal(last?.canvas_id, site.id);
      if (/^(token|session|team|user|org)\./.test(act)) assert.notEqual(last?.target, null);
    });
  }

  it("nothing secret of all that is in the log", async () => {
    assert.ok(new Set(secrets).size > 8);
    assert.ok(secrets.every((secret) => secret.length >= 16));
    const kept = JSON.stringify(await env.db.all`select * from audit`);
    assert.ok(kept.length > 5000 && kept.includes(site.people.editor.email));
    for (const secret of secrets) assert.equal(kept.includes(secret), false, secret);
  });
});
