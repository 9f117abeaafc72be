import assert from "node:assert/strict";
import { before, it } from "node:test";
import { manage, type Stage } from "@easel/conformance/fixture";
import { type Answer, type Header, send } from "@easel/conformance/http";
import { connect } from "@easel/conformance/realtime/socket";
import { refused } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import type { TokenScope } from "@easel/protocol/management";
import type { User } from "../../src/access/principal.ts";
import type { Act } from "../../src/management/act.ts";
import { ACTS } from "../../src/management/acts.ts";
import { resolve } from "../../src/pipeline/resolve.ts";
import { primitives } from "../../src/primitives/index.ts";
import { onSqlite } from "../support/engines.ts";
import { userWith } from "../support/principals.ts";
import { publish } from "../support/publish.ts";

/** A restricted token: its scope, and whether it is valid for one canvas only. */
interface Kind {
  scope: TokenScope;
  bound: boolean;
}

const KINDS: Kind[] = [
  { scope: "full", bound: true },
  { scope: "deploy", bound: false },
  { scope: "deploy", bound: true },
  { scope: "read", bound: false },
  { scope: "read", bound: true },
];

const nameOf = ({ scope, bound }: Kind) => `scope ${scope}${bound ? ", one canvas" : ""}`;

/** The acts besides GET that tokens with the scope `deploy` may perform. */
const DEPLOYS = [
  "canvas.create",
  "canvas.update",
  "canvas.capabilities",
  "canvas.delete",
  "canvas.deploy",
  "canvas.stage",
  "canvas.stage-cancel",
  "canvas.stage-file",
  "canvas.stage-files",
  "canvas.stage-finish",
  "canvas.publish",
  "canvas.preview",
];

/** The acts without a canvas in their path that tokens for one canvas may perform. */
const OF_ANY_CANVAS = ["me.read", "token.read", "canvas.list"];

/** Returns the status of the refusal of a restricted token, or null if the token may perform the act. */
function refusalOf({ name, method, path, allow }: Act, { scope, bound }: Kind, own: boolean): number | null {
  const ofCanvas = path.startsWith("/api/canvases/{id}");
  if (allow === "session") return 403;
  if (bound && ofCanvas && !own) return 404;
  if (bound && !ofCanvas && !OF_ANY_CANVAS.includes(name)) return 403;
  if (scope === "read" && method !== "GET" && name !== "canvas.preview") return 403;
  if (scope === "deploy" && method !== "GET" && !DEPLOYS.includes(name)) return 403;
  if (
    scope === "deploy" &&
    (path.startsWith("/api/admin") || /\/(export|access)$/.test(path) || name === "person.search")
  )
    return 403;
  return null;
}

await onSqlite(
  "restricted access tokens",
  (target, env) => {
    let own: Stage;
    let other: Stage;
    let person: Person;
    const tokens = new Map<Kind, Person>();
    const ids: Record<string, string> = {};

    const make = async (body: object) => {
      const answer = await manage(target, person, "POST", "/api/tokens", { name: "Restricted", ...body });
      assert.equal(answer.status, 201, answer.text);
      const headers: Header[] = [["Authorization", `Bearer ${answer.json.token}`]];
      return { ...person, headers };
    };
    const tokenOf = (kind: Kind): Person => tokens.get(kind) as Person;

    before(async () => {
      // The person is an administrator, so that only the token decides about each act.
      person = await target.signIn(target.admin);
      const people = { owner: person, editor: person, viewer: person, stranger: person };
      const made = async () => {
        const slug = `scopes-${own === undefined ? "own" : "other"}`;
        const { json } = await manage(target, person, "POST", "/api/canvases", { title: "Scopes", slug });
        const site = { id: String(json.id), slug, people } as Stage;
        ids[`version of ${slug}`] = await publish(target, site, { "index.html": slug });
        const files = [{ path: "index.html", sha256: "0".repeat(64), size: 1 }];
        const begun = await manage(target, person, "POST", `/api/canvases/${site.id}/deploys`, { files });
        ids[`deploy of ${slug}`] = String(begun.json.id);
        const on = { backendEnabled: true, authoring: true };
        await manage(target, person, "PATCH", `/api/canvases/${site.id}/capabilities`, on);
        return site;
      };
      own = await made();
      other = await made();
      for (const kind of KINDS) {
        const canvasId = kind.bound ? own.id : null;
        tokens.set(kind, await make({ scope: kind.scope, canvasId }));
      }
      const { json } = await manage(target, person, "POST", "/api/teams", { name: "A team" });
      ids.team = String(json.id);
      ids.person = String((await manage(target, person, "GET", "/api/me")).json.id);
      const org = { name: "None", domains: [] };
      assert.equal((await manage(target, person, "PUT", "/api/admin/orgs/none", org)).status, 200);
    });

    /** The canvases on which a token is tried. Another canvas is tried only if the path names a canvas and the token is for one canvas. */
    const sitesOf = ({ bound }: Kind, path = "{id}") =>
      bound && path.includes("{id}") ? [own, other] : [own];

    const pathOf = ({ path }: Act, site: Stage) =>
      path
        .replace("/teams/{id}", `/teams/${ids.team}`)
        .replace("/users/{id}", `/users/${ids.person}`)
        .replace("/orgs/{id}", "/orgs/none")
        .replace(/\{(id|canvas|canvasId)\}/, site.id)
        .replace("{version}", String(ids[`version of ${site.slug}`]))
        .replace("{deploy}", String(ids[`deploy of ${site.slug}`]))
        .replace("{sha256}", "0".repeat(64))
        .replace(/\/file$/, "/file?path=index.html")
        .replace(/\/access$/, "/access?as=anonymous")
        .replace(/\{\w+\}/g, "none");

    for (const kind of KINDS) {
      it(`${nameOf(kind)}: every act of the management API, on the token's canvas and on another one`, async () => {
        // On a disabled canvas, an authorized change fails with 409 DISABLED, so the acts change nothing.
        await env.db.run`update canvases set disabled_at = ${1}`;
        try {
          for (const act of ACTS) {
            for (const site of sitesOf(kind, act.path)) {
              const path = pathOf(act, site);
              const answer = await manage(target, tokenOf(kind), act.method, path);
              const at = `${act.name} on ${site.slug}: ${answer.text.slice(0, 200)}`;
              const wanted = refusalOf(act, kind, site === own);
              if (wanted === 404) refused(answer, 404, "NOT_FOUND");
              else if (wanted === 403) refused(answer, 403, "PERMISSION_DENIED");
              // An export passes the checks of the runtime API, which refuse a disabled canvas.
              else if (act.name === "canvas.export") refused(answer, 403, "DISABLED");
              else if (act.method === "GET") assert.ok(answer.status === 200, `${answer.status} ${at}`);
              // The canvas is not deleted, so there is nothing to restore.
              else if (act.allow === "formerOwner") refused(answer, 404, "NOT_FOUND");
              else assert.ok([400, 409].includes(answer.status), `${answer.status} ${at}`);
              assert.equal(answer.status, wanted ?? answer.status, at);
            }
          }
        } finally {
          await env.db.run`update canvases set disabled_at = null`;
        }
      });

      it(`${nameOf(kind)}: every route of the runtime API, on the token's canvas and on another one`, async () => {
        for (const { operations, reserved = [], capability } of primitives) {
          const byPath = Map.groupBy(operations, ({ path }) => path);
          for (const route of [...byPath.keys(), ...reserved]) {
            const named = byPath.get(route)?.map(({ method }) => method) ?? [];
            for (const method of new Set([...named, "GET", "HEAD", "POST"])) {
              for (const site of sitesOf(kind)) {
                const path = `/v1/c/${site.slug}${route.replace(/\{\w+\}/g, "none")}`;
                const { headers } = tokenOf(kind);
                const answer = await send(target.base, { method, path, headers });
                const safe = ["GET", "HEAD"].includes(method);
                const reads = safe && !["ai", "connections", "realtime"].includes(capability);
                const isRefused =
                  kind.scope === "deploy" ||
                  (kind.scope === "read" && !reads) ||
                  (kind.bound && (site === other || capability === "authoring"));
                const at = `${method} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`;
                if (isRefused) assert.equal(answer.status, 403, at);
                if (isRefused && method !== "HEAD") assert.match(answer.text, /"This access token /, at);
                if (!isRefused) assert.doesNotMatch(answer.text, /"This access token /, at);
                if (!isRefused && method === "HEAD") assert.notEqual(answer.status, 403, at);
              }
            }
          }
        }
      });

      it(`${nameOf(kind)}: a path below a canvas that does not exist`, async () => {
        const get = (slug: string, method = "GET"): Promise<Answer> =>
          send(target.base, { method, path: `/v1/c/${slug}/none`, headers: tokenOf(kind).headers });
        const none = await get("no-such-canvas");
        const [code, status] =
          kind.scope === "read" && !kind.bound ? ["NOT_FOUND", 404] : ["PERMISSION_DENIED", 403];
        assert.deepEqual([none.json.code, none.status], [code, status]);
        // The response for another canvas reveals nothing about it.
        const { requestId, ...body } = none.json;
        const { requestId: _, ...known } = (await get(other.slug)).json;
        if (kind.bound) assert.deepEqual(known, body);
        if (kind.scope === "read") refused(await get(own.slug, "POST"), 403, "PERMISSION_DENIED");
        assert.notEqual(requestId, undefined);
      });

      it(`${nameOf(kind)}: opening a WebSocket`, async () => {
        for (const site of [own, other]) {
          const opening = connect(target, site.slug, tokenOf(kind), []);
          if (kind.scope === "full" && site === own) await (await opening).close();
          else await assert.rejects(opening, /the handshake was refused: 403 .*This access token /);
        }
      });
    }

    it("the list of a token of one canvas has that canvas only", async () => {
      for (const kind of KINDS) {
        const list = async (query = "") =>
          (await manage(target, tokenOf(kind), "GET", `/api/canvases${query}`)).json as {
            canvases: { id: string }[];
            nextCursor: string | null;
          };
        const { canvases, nextCursor } = await list();
        assert.deepEqual(
          canvases.map(({ id }) => id),
          kind.bound ? [own.id] : [other.id, own.id],
        );
        assert.equal(nextCursor, null);
        assert.equal((await list(`?q=${other.slug}`)).canvases.length, kind.bound ? 0 : 1);
      }
    });

    it("a token of one canvas finds and restores that canvas only, once both are deleted", async () => {
      const full = tokenOf(KINDS[0] as Kind);
      await env.db.run`update canvases set deleted_at = ${Date.now()}`;
      const list = (who: Person) => manage(target, who, "GET", "/api/canvases?deleted=true");
      const found = async (who: Person) =>
        ((await list(who)).json.canvases as { id: string }[]).map(({ id }) => id);
      assert.deepEqual(await found(person), [other.id, own.id]);
      assert.deepEqual(await found(full), [own.id]);
      await env.db.run`update canvases set deleted_at = null`;
      for (const { id } of [own, other]) await manage(target, person, "DELETE", `/api/canvases/${id}`);
      const restore = (who: Person, { id }: Stage) =>
        manage(target, who, "POST", `/api/canvases/${id}/restore`);
      refused(await restore(full, other), 404, "NOT_FOUND");
      assert.equal((await restore(full, own)).status, 200);
      assert.equal((await restore(person, other)).status, 200);
    });

    it("scope deploy: deletes a canvas that was never deployed, so that a failed first deploy leaves nothing", async () => {
      const token = tokenOf(KINDS.find(({ scope, bound }) => scope === "deploy" && !bound) as Kind);
      const { json } = await manage(target, token, "POST", "/api/canvases", { title: "A draft" });
      const remove = (id: string) => manage(target, token, "DELETE", `/api/canvases/${id}`);
      assert.equal((await remove(String(json.id))).status, 204);
      refused(await remove(own.id), 403, "PERMISSION_DENIED");
      assert.equal((await manage(target, person, "GET", `/api/canvases/${own.id}`)).status, 200);
    });

    /** Bodies of PATCH requests, and whether tokens with the scope `deploy` may send them. */
    const fields: [path: string, body: object, allowed: boolean][] = [
      ["", { title: "By a program" }, true],
      ["", { spa: true, slug: "scopes-own" }, true],
      ["", { archived: true }, false],
      ["", { title: "Both", archived: true }, false],
      ["", { tags: ["a"] }, false],
      ["", { metadata: { a: 1 } }, false],
      ["", { metadata: null }, false],
      ["", { galleryListed: true }, false],
      ["", { discoverability: "listed" }, false],
      ["/capabilities", { backendEnabled: true, kv: true, ai: false }, true],
      ["/capabilities", { expectedRuntimePolicy: null, runtimePolicy: { collections: {} } }, true],
      ["/capabilities", { guestAi: true }, false],
      ["/capabilities", { aiAudience: "viewers" }, false],
      ["/capabilities", { kv: false, connectionsAudience: "viewers" }, false],
    ];
    for (const [path, body, allowed] of fields) {
      it(`scope deploy: PATCH ${path} ${JSON.stringify(body)} is ${allowed ? "200" : "refused"}`, async () => {
        const read = async () => (await manage(target, person, "GET", `/api/canvases/${own.id}`)).text;
        const asItWas = await read();
        for (const kind of KINDS.filter(({ scope }) => scope === "deploy")) {
          const answer = await manage(target, tokenOf(kind), "PATCH", `/api/canvases/${own.id}${path}`, body);
          if (allowed && answer.status === 409) refused(answer, 409, "POLICY_CONFLICT");
          else if (allowed) assert.equal(answer.status, 200, answer.text);
          else refused(answer, 403, "PERMISSION_DENIED");
          if (!allowed) assert.equal(await read(), asItWas);
        }
      });
    }

    it("without a description of what a request does, no restricted token is accepted", async () => {
      const owner = userWith(String((await manage(target, person, "GET", "/api/me")).json.id));
      const visit = { slug: own.slug, surface: "content" } as const;
      const entering = (user: User) => resolve(visit, { user, passes: [] }, env);
      assert.equal((await entering(owner)).role, "owner");
      for (const restriction of [
        { scope: "full", canvasId: own.id },
        { scope: "read", canvasId: null },
      ] as const)
        await assert.rejects(entering({ ...owner, restriction }), { code: "PERMISSION_DENIED" });
    });

    it("a token with a scope that the service does not know is invalid", async () => {
      const program = await make({ scope: "read" });
      const me = () => manage(target, program, "GET", "/api/me");
      assert.equal((await me()).status, 200);
      for (const scope of ["admin", "", "FULL", "read "]) {
        await env.db.run`update tokens set scope = ${scope} where id = (select max(id) from tokens)`;
        assert.equal((await me()).status, 401, scope);
      }
    });
  },
  { SERVICE_AUTHORING: "on" },
);
