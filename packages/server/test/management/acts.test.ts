import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { after, before, it, test } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { type Answer, type Header, send } from "@easel/conformance/http";
import { freshEmail, type Person } from "@easel/conformance/target";
import { tokenOf } from "@easel/conformance/token";
import { z } from "zod";
import { ACTS } from "../../src/management/acts.ts";
import { MANAGEMENT_TAGS } from "../../src/openapi/document.ts";
import { connectTool } from "../support/connected-tool.ts";
import { onEngines } from "../support/engines.ts";
import { OpenApiCheck } from "../support/openapi-check.ts";
import { upload } from "../support/publish.ts";
import { sha256, stager } from "../support/staged.ts";
import { zip } from "../support/zip.ts";

const MANAGEMENT = path.join(import.meta.dirname, "../../src/management");

/** The value of every field that can hold a secret, which the audit log must not contain. */
const SECRET = "marked-as-a-secret";

/** Acts (operations of the management API) that only prepare a change, which another act makes, or say what it would mean. */
const PREPARING = [
  "canvas.stage",
  "canvas.stage-file",
  "canvas.stage-files",
  "canvas.stage-cancel",
  "org.preview",
];

test("every act has its own name and route; acts that change something are audited and recheck access", () => {
  assert.ok(ACTS.length >= 40);
  const names = ACTS.map(({ name }) => name);
  const routes = ACTS.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(names.toSorted(), [...new Set(names)].sort());
  assert.deepEqual(routes.toSorted(), [...new Set(routes)].sort());
  for (const { name, method, path, summary, audited, affects, body } of ACTS) {
    assert.match(name, /^[a-z]+\.[a-z-]+$/);
    assert.match(path, /^\/api(\/([a-z]+(-[a-z]+)*|\{[a-zA-Z0-9]+\}))+$/);
    assert.match(summary, /^[A-Z][^.]+\.$/, name);
    if (method === "GET") assert.equal(body, undefined, name);
    else if (PREPARING.includes(name)) assert.deepEqual([audited, affects], [false, undefined]);
    else {
      assert.ok(audited, name);
      const canvas = path.includes("/canvases/{id}") || name === "canvas.create";
      // Connections, previews and mails decide nothing about open realtime connections.
      const decidesNothing =
        name.startsWith("connection.") || ["canvas.preview", "me.set-mails"].includes(name);
      const expected = decidesNothing ? undefined : canvas ? "canvas" : "people";
      assert.equal(affects, expected, name);
    }
  }
});

test("every schema of the acts has a JSON Schema", () => {
  for (const { name, params, query, body, response } of ACTS) {
    for (const schema of [
      params,
      query?.schema,
      body?.type === "application/json" ? body.schema : undefined,
    ]) {
      if (schema)
        assert.equal(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }).type, "object", name);
    }
    assert.equal(response.schema === null, response.status === 204 || response.type !== undefined, name);
    if (response.schema !== null) assert.match(String(response.schema.meta()?.id), /^[A-Z]\w+$/, name);
    if (response.schema !== null) z.toJSONSchema(response.schema);
  }
});

test("every act that the folder exports is listed", async () => {
  const sources = readdirSync(MANAGEMENT, { recursive: true, encoding: "utf8" });
  let exported = 0;
  for (const source of sources.filter((name) => name.endsWith(".ts"))) {
    const values: unknown[] = Object.values(await import(path.join(MANAGEMENT, source)));
    for (const value of values) {
      if (!Array.isArray(value) || value === ACTS) continue;
      exported += value.length;
      for (const each of value) assert.ok(ACTS.includes(each), `${source}: ${each.name}`);
    }
  }
  assert.equal(exported, ACTS.length);
});

/** A policy document with an entry for each kind of resource. */
const POLICY = {
  defaultMode: "participation",
  collections: {
    ideas: { preset: "contributions", overrides: { create: "editors" }, aggregateCount: "viewers" },
  },
  fileGroups: { photos: { preset: "managed" } },
  channels: {
    board: { subscribe: "viewers", publish: "editors", seePresence: "viewers", participatePresence: "none" },
  },
  connections: { weather: { audience: "viewers", methods: ["GET"] } },
};

await onEngines("the acts of the management API", (target, env) => {
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

  const connected = async (who: Person) => {
    const tool = await connectTool(target.base, who, {}, env);
    secrets.push(tool.token, tool.token.slice("easel_mcp_".length));
    return tool;
  };

  const deploys = () => stager(target, site.people.owner, site.id);

  /** A request for each act (operation of the management API), sent in this order. Every field that can hold a secret holds one. */
  const REQUESTS: Record<string, () => Promise<Answer>> = {
    "me.read": () => owner("GET", "/me"),
    "me.usage": () => owner("GET", "/me/usage"),
    "me.mails": () => owner("GET", "/me/mails"),
    "me.set-mails": () => owner("PATCH", "/me/mails", { quota: false }),
    "token.create": async () => {
      const answer = await owner("POST", "/tokens", { name: "A program" });
      secrets.push(String(answer.json.token), String(answer.json.token).slice("easel_pat_".length));
      return answer;
    },
    "token.read": async () => {
      const { headers } = await tokenOf(target, site.people.owner);
      return as({ ...site.people.owner, headers }, "GET", "/token");
    },
    "token.list": () => owner("GET", "/tokens"),
    "token.delete": async () => owner("DELETE", `/tokens/${await made("/tokens", { name: "Another" })}`),
    "app.list": async () => {
      await connected(site.people.owner);
      return owner("GET", "/apps");
    },
    "app.revoke": async () => owner("DELETE", `/apps/${(await connected(site.people.owner)).id}`),
    "session.list": () => owner("GET", "/sessions"),
    "session.revoke": async () => {
      const { email } = site.people.viewer;
      const [one, other] = [await target.signIn(email), await target.signIn(email)];
      const { sessions } = (await as(one, "GET", "/sessions")).json as {
        sessions: { id: string; current: boolean }[];
      };
      await as(other, "GET", "/me");
      return as(one, "DELETE", `/sessions/${sessions.find(({ current }) => !current)?.id}`);
    },
    "session.revoke-others": async () => {
      const { email } = await target.signIn(freshEmail("leaver"));
      return as(await target.signIn(email), "DELETE", "/sessions");
    },
    "team.create": () => owner("POST", "/teams", { name: "A team", members: ["a@example.com"] }),
    "team.list": () => owner("GET", "/teams"),
    "team.read": async () => owner("GET", `/teams/${await made("/teams", { name: "A" })}`),
    "team.update": async () => owner("PATCH", `/teams/${await made("/teams", { name: "B" })}`, { name: "C" }),
    "team.delete": async () => owner("DELETE", `/teams/${await made("/teams", { name: "D" })}`),
    "team.leave": async () => {
      const members = [site.people.owner.email];
      return owner("DELETE", `/teams/${await made("/teams", { name: "E", members })}/membership`);
    },
    "canvas.create": async () => {
      const program = await tokenOf(target, site.people.owner);
      return as(program, "POST", `/canvases?token=${SECRET}`, { title: "Made by a program" });
    },
    "canvas.update": () => canvas("PATCH", "", { title: "New", metadata: { note: SECRET } }),
    "canvas.deploy": async () =>
      upload(target, site.people.owner, site.id, await zip({ "index.html": SECRET, [`${SECRET}.txt`]: "" })),
    "canvas.stage": () =>
      deploys().begin({ "index.html": SECRET, [`${SECRET}.txt`]: "" }, { message: SECRET }),
    "canvas.stage-file": async () => {
      const { json } = await deploys().begin({ "index.html": "staged" });
      return deploys().upload(json.id, "staged");
    },
    "canvas.stage-files": async () => {
      const { json } = await deploys().begin({ "index.html": "one", "b.txt": "two" });
      return deploys().uploadAll(json.id, [
        [sha256("one"), "one"],
        [sha256("two"), "other"],
      ]);
    },
    "canvas.stage-read": async () => {
      const { json } = await deploys().begin({ "index.html": "read" });
      return deploys().read(json.id);
    },
    "canvas.stage-cancel": async () => {
      const { json } = await deploys().begin({ "index.html": "cancelled" });
      return deploys().cancel(json.id);
    },
    "canvas.stage-finish": async () => {
      const { json } = await deploys().begin({ "index.html": "finished" });
      assert.equal((await deploys().upload(json.id, "finished")).status, 204);
      return deploys().finish(json.id);
    },
    "canvas.versions": () => canvas("GET", "/versions"),
    "canvas.unpublish": () => canvas("POST", "/unpublish"),
    "canvas.download": () => canvas("GET", "/bundle"),
    "canvas.download-version": async () => {
      const { versions } = (await canvas("GET", "/versions")).json as { versions: { id: string }[] };
      return canvas("GET", `/versions/${versions[0]?.id}/bundle`);
    },
    "canvas.version-files": async () => {
      const { versions } = (await canvas("GET", "/versions")).json as { versions: { id: string }[] };
      return canvas("GET", `/versions/${versions[0]?.id}/files`);
    },
    "canvas.version-file": async () => {
      const { versions } = (await canvas("GET", "/versions")).json as { versions: { id: string }[] };
      return canvas("GET", `/versions/${versions[0]?.id}/file?path=index.html`);
    },
    "canvas.preview": async () => {
      const { versions } = (await canvas("GET", "/versions")).json as { versions: { id: string }[] };
      const answer = await canvas("POST", `/versions/${versions[0]?.id}/preview`, { signedIn: true });
      secrets.push(String(answer.json.url).split("code=")[1] ?? "");
      return answer;
    },
    "canvas.delete-version": async () => {
      await upload(target, site.people.owner, site.id, await zip({ "index.html": "second" }));
      const { versions } = (await canvas("GET", "/versions")).json as { versions: { id: string }[] };
      return canvas("DELETE", `/versions/${versions[1]?.id}`);
    },
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
    "canvas.explain": () => canvas("GET", `/access?email=${site.people.viewer.email}`),
    "canvas.explain-any": () => administer("GET", `/canvases/${site.id}/access?as=anonymous`),
    "canvas.capabilities": () =>
      canvas("PATCH", "/capabilities", {
        kv: true,
        guestAi: false,
        expectedRuntimePolicy: null,
        runtimePolicy: POLICY,
      }),
    "person.search": () => owner("GET", "/people?q=editor"),
    "canvas.read": () => canvas("GET", ""),
    "canvas.list": () => owner("GET", "/canvases"),
    "canvas.usage": () => canvas("GET", "/usage"),
    "canvas.data": () => canvas("GET", "/data"),
    "canvas.export": async () => {
      assert.equal((await site.pages.owner.put("/kv/secret", SECRET)).status, 200);
      return canvas("GET", "/export");
    },
    "canvas.import": async () => {
      const manifest = JSON.stringify({ format: "easel-data", version: 1 });
      const lines = JSON.stringify({ key: "imported", value: SECRET });
      const headers: Header[] = [...site.people.owner.headers, ["Content-Type", "application/zip"]];
      const body = await zip({ "manifest.json": manifest, "kv/shared.jsonl": lines });
      return send(target.base, { method: "POST", path: `/api/canvases/${site.id}/import`, headers, body });
    },
    "canvas.log": async () => {
      assert.equal((await site.pages.owner.get("/kv/none")).status, 404);
      return canvas("GET", "/log");
    },
    "canvas.activity": () => canvas("GET", "/activity"),
    "canvas.connections": () => canvas("GET", "/connections"),
    "canvas.invite": async () => {
      const answer = await canvas("POST", "/invites", { email: "guest@example.com", name: "A guest" });
      secrets.push(String(answer.json.url), String(answer.json.url).split("/").at(-1) as string);
      return answer;
    },
    "canvas.invites": () => canvas("GET", "/invites"),
    "canvas.renew-invite": async () => {
      const invite = await made(`/canvases/${site.id}/invites`, { email: "again@example.com" });
      const answer = await canvas("POST", `/invites/${invite}/link`);
      secrets.push(String(answer.json.url), String(answer.json.url).split("/").at(-1) as string);
      return answer;
    },
    "canvas.uninvite": async () =>
      canvas(
        "DELETE",
        `/invites/${await made(`/canvases/${site.id}/invites`, { email: "other@example.com" })}`,
      ),
    "canvas.list-all": () => administer("GET", "/canvases"),
    "canvas.read-any": () => administer("GET", `/canvases/${site.id}`),
    "canvas.disable": () => administer("POST", `/canvases/${site.id}/disable`, { reason: "A reason." }),
    "canvas.enable": () => administer("POST", `/canvases/${site.id}/enable`),
    "canvas.transfer": () => canvas("PUT", "/owner", { email: site.people.editor.email }),
    "canvas.delete": () => as(site.people.editor, "DELETE", `/canvases/${site.id}`),
    "canvas.restore-own": () =>
      as(site.people.editor, "POST", `/canvases/${site.id}/restore`, { slug: site.slug }),
    "canvas.purge-own": async () => {
      const id = await made("/canvases", { title: "Gone" });
      assert.equal((await owner("DELETE", `/canvases/${id}`)).status, 204);
      return owner("DELETE", `/canvases/${id}/trash`);
    },
    "canvas.restore": async () => {
      assert.equal((await as(site.people.editor, "DELETE", `/canvases/${site.id}`)).status, 204);
      return administer("POST", `/canvases/${site.id}/restore`);
    },
    "user.list": () => administer("GET", "/users"),
    "user.update": async () =>
      administer("PATCH", `/users/${await userId(site.people.stranger)}`, { deactivated: true }),
    "user.read": async () => administer("GET", `/users/${await userId(site.people.viewer)}`),
    "user.handover-preview": async () =>
      administer("GET", `/users/${await userId(site.people.editor)}/handover`),
    "user.handover": async () => {
      const body = { to: site.people.owner.email, teams: true, deactivate: false, reason: "Moves on." };
      return administer("POST", `/users/${await userId(site.people.editor)}/handover`, body);
    },
    "canvas.reassign": () =>
      administer("PUT", `/canvases/${site.id}/owner`, { email: site.people.editor.email }),
    "app.clients": async () => {
      await connected(site.people.viewer);
      return administer("GET", "/apps");
    },
    "app.end-client": () => administer("POST", "/apps/end", { client: "test-client" }),
    "user.apps": async () => {
      await connected(site.people.viewer);
      return administer("GET", `/users/${await userId(site.people.viewer)}/apps`);
    },
    "user.end-apps": async () => administer("DELETE", `/users/${await userId(site.people.viewer)}/apps`),
    "canvas.take": () => administer("POST", `/canvases/${site.id}/take`, { reason: "Nobody else is left." }),
    "user.add": () => administer("POST", "/users", { email: "added@example.com", deactivated: true }),
    "user.sessions": async () => administer("GET", `/users/${await userId(site.people.viewer)}/sessions`),
    "user.identities": async () => administer("GET", `/users/${await userId(site.people.viewer)}/identities`),
    "user.unlink": async () =>
      administer("DELETE", `/users/${await userId(await target.signIn(freshEmail("unlinked")))}/identities`),
    "user.guests": async () => administer("GET", `/users/${await userId(site.people.owner)}/guests`),
    "user.end-guests": async () => administer("DELETE", `/users/${await userId(site.people.owner)}/guests`),
    "user.sign-out": async () => administer("POST", `/users/${await userId(site.people.viewer)}/sign-out`),
    "org.put": () => administer("PUT", "/orgs/acts", { name: "Acts", domains: ["acts.example"] }),
    "org.list": () => administer("GET", "/orgs"),
    "org.read": () => administer("GET", "/orgs/acts"),
    "org.preview": () => administer("POST", "/orgs/acts/preview", { domains: ["acts.example"] }),
    "org.delete": () => administer("DELETE", "/orgs/acts"),
    "settings.read": () => administer("GET", "/settings"),
    "settings.update": () => administer("PATCH", "/settings", { ai: { guestUsd: 2 } }),
    "instance.overview": () => administer("GET", "/instance/overview"),
    "instance.health": () => administer("GET", "/instance/health"),
    "instance.config": () => administer("GET", "/instance/config"),
    "ai.usage": () => administer("GET", "/ai/usage"),
    "connection.put": () =>
      administer("PUT", "/connections/acts", { origin: "https://localhost", methods: ["GET"] }),
    "connection.list": () => administer("GET", "/connections"),
    "connection.grant": () => administer("PUT", `/connections/acts/grants/${site.id}`, { public: true }),
    "connection.test": () =>
      administer("POST", "/connections/acts/test", { method: "HEAD", path: `/?key=${SECRET}` }),
    "connection.usage": () => administer("GET", "/connections/acts/usage"),
    "connection.revoke": () => administer("DELETE", `/connections/acts/grants/${site.id}`),
    "connection.delete": () => administer("DELETE", "/connections/acts"),
    "audit.export": () => administer("GET", "/audit/export?format=csv&act=org.put"),
    "audit.lines": async () => {
      await env.db.run`
        insert into audit (id, at, actor_id, actor_email, act, address) values ('0', 0, 'x', 'ada@acme.test', 'a.b', '::1')`;
      return administer("GET", "/audit/lines?limit=1");
    },
    "audit.list": () => administer("GET", "/audit"),
    "me.export": () => as(site.people.owner, "GET", "/me/export"),
    "user.export": async () => administer("GET", `/users/${await userId(site.people.owner)}/export`),
    "user.erase": async () =>
      administer("DELETE", `/users/${await userId(await target.signIn(freshEmail("erased")))}`),
    "user.end-sessions": async () =>
      administer("DELETE", `/users/${await userId(await target.signIn(freshEmail("ended")))}/sessions`),
    // The last one, because it ends the sessions of everyone else.
    "session.end-all": () => administer("DELETE", "/sessions?tokens=true"),
  };

  let check: OpenApiCheck;
  before(() => {
    check = new OpenApiCheck(env);
    check.start();
  });
  after(() => check.stop());

  it("there is a request for every act", () => {
    assert.deepEqual(Object.keys(REQUESTS).sort(), ACTS.map(({ name }) => name).sort());
  });

  for (const [name, request] of Object.entries(REQUESTS)) {
    const act = ACTS.find((each) => each.name === name);
    it(`${name}: the response fits its schema, and a change is in the audit log`, async () => {
      assert.ok(act !== undefined);
      const count = async () =>
        (await env.db.get<{ entries: number }>`select count(*) as entries from audit where act = ${name}`)
          ?.entries ?? 0;
      const before = await count();
      const { status, text } = await request();
      assert.equal(status, act.response.status, text);
      if (act.response.type !== undefined) assert.notEqual(text, "");
      else if (act.response.schema === null) assert.equal(text, "");
      else {
        const { error } = act.response.schema.safeParse(JSON.parse(text));
        assert.equal(error && z.prettifyError(error), undefined);
      }
      if (!act.audited) return assert.equal(await count(), before);
      assert.ok((await count()) >= before + 1);
      const last = await env.db.get<{ canvas_id: string | null; target: string | null }>`
        select canvas_id, target from audit where act = ${name} order by id desc limit 1`;
      const isOther = name === "canvas.create" || name === "canvas.purge-own";
      if (name.startsWith("canvas.") && !isOther) assert.equal(last?.canvas_id, site.id);
      if (name === "canvas.create") assert.equal(last?.canvas_id, JSON.parse(text).id);
      if (/^(token|app|session|team|user|org)\./.test(name)) assert.notEqual(last?.target, null);
    });
  }

  it("every response is as the OpenAPI document describes it", () => {
    assert.deepEqual(check.faults, []);
    assert.deepEqual(check.unseen(MANAGEMENT_TAGS.map(({ name: group }) => group)), []);
  });

  it("the audit log contains no secret", async () => {
    assert.ok(new Set(secrets).size > 8);
    assert.ok(secrets.every((secret) => secret.length >= 16));
    const kept = JSON.stringify(await env.db.all`select * from audit`);
    assert.ok(kept.length > 5000 && kept.includes(site.people.editor.email));
    for (const secret of secrets) assert.equal(kept.includes(secret), false, secret);
  });
});
