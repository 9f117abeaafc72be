import assert from "node:assert/strict";
import { before, it, test } from "node:test";
import { type Cast, manage, type Stage, stage } from "@easel/conformance/fixture";
import { guestOf } from "@easel/conformance/guest";
import { type Header, send } from "@easel/conformance/http";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import type { Person } from "@easel/conformance/target";
import { tokenOf } from "@easel/conformance/token";
import { ACTS } from "../../src/management/acts.ts";
import { JSON_TYPE } from "../support/client.ts";
import { onSqlite } from "../support/engines.ts";

/** Every administration route, with a valid body, and the status that an administrator gets. */
const ROUTES: [method: string, path: string, body: object | undefined, status: number][] = [
  ["GET", "/users", undefined, 200],
  ["PATCH", "/users/{user}", { canPublishPublic: true }, 200],
  ["GET", "/users/{user}", undefined, 200],
  ["GET", "/users/{user}/handover", undefined, 200],
  ["POST", "/users/{user}/handover", { to: "dev@example.com", deactivate: false }, 200],
  ["POST", "/users", { email: "guarded@example.com" }, 201],
  ["GET", "/users/{user}/sessions", undefined, 200],
  ["GET", "/users/{user}/identities", undefined, 200],
  ["GET", "/users/{user}/guests", undefined, 200],
  ["DELETE", "/users/{user}/guests", undefined, 200],
  ["GET", "/canvases", undefined, 200],
  ["GET", "/canvases/{canvas}", undefined, 200],
  ["PUT", "/canvases/{canvas}/owner", { email: "guarded@example.com" }, 200],
  ["POST", "/canvases/{canvas}/take", { reason: "Why." }, 200],
  ["GET", "/canvases/{canvas}/access?as=anonymous", undefined, 200],
  ["POST", "/canvases/{canvas}/disable", { reason: "Why." }, 200],
  ["POST", "/canvases/{canvas}/enable", undefined, 200],
  ["POST", "/canvases/{canvas}/restore", undefined, 404],
  ["GET", "/apps", undefined, 200],
  ["POST", "/apps/end", { client: "guarded" }, 404],
  ["GET", "/users/{user}/apps", undefined, 200],
  ["DELETE", "/users/{user}/apps", undefined, 200],
  ["GET", "/orgs", undefined, 200],
  ["PUT", "/orgs/guarded", { name: "Guarded", domains: [] }, 200],
  ["GET", "/orgs/guarded", undefined, 200],
  ["POST", "/orgs/guarded/preview", { domains: [] }, 200],
  ["DELETE", "/orgs/guarded", undefined, 204],
  ["GET", "/instance/overview", undefined, 200],
  ["GET", "/instance/health", undefined, 200],
  ["GET", "/instance/config", undefined, 200],
  ["GET", "/settings", undefined, 200],
  ["GET", "/ai/usage", undefined, 200],
  ["PUT", "/connections/guarded", { origin: "https://localhost", methods: ["GET"] }, 200],
  ["GET", "/connections", undefined, 200],
  ["PUT", "/connections/guarded/grants/{canvas}", { public: true }, 204],
  ["POST", "/connections/guarded/test", { method: "GET", path: "/" }, 200],
  ["GET", "/connections/guarded/usage", undefined, 200],
  ["DELETE", "/connections/guarded/grants/{canvas}", undefined, 204],
  ["DELETE", "/connections/guarded", undefined, 204],
  ["PATCH", "/settings", {}, 200],
  ["GET", "/audit", undefined, 200],
  ["GET", "/audit/export", undefined, 200],
  ["GET", "/audit/lines", undefined, 200],
  ["GET", "/users/{user}/export", undefined, 200],
  // Queries that are not valid, because everyone is still needed.
  ["DELETE", "/sessions?tokens=maybe", undefined, 400],
  ["DELETE", "/users/{user}?transferTo=nobody", undefined, 400],
  // None of the sessions of the user.
  ["DELETE", "/users/{user}/sessions?session={canvas}", undefined, 404],
  // No user. It would end the sessions of one.
  ["DELETE", "/users/{canvas}/identities", undefined, 404],
  // The last one, because it ends the session of the user.
  ["POST", "/users/{user}/sign-out", undefined, 204],
];

/** Existing paths with a method that they do not support, and the `Allow` header of the response. */
const WRONG: [method: string, path: string, allow: string][] = [
  ["PUT", "/users", "GET, HEAD, POST"],
  ["PUT", "/users/{user}", "GET, HEAD, PATCH, DELETE"],
  ["GET", "/users/{user}/sign-out", "POST"],
  ["PUT", "/users/{user}/handover", "GET, HEAD, POST"],
  ["DELETE", "/canvases", "GET, HEAD"],
  ["POST", "/canvases/{canvas}/access", "GET, HEAD"],
  ["GET", "/canvases/{canvas}/disable", "POST"],
  ["PUT", "/canvases/{canvas}/enable", "POST"],
  ["DELETE", "/canvases/{canvas}/restore", "POST"],
  ["POST", "/orgs", "GET, HEAD"],
  ["PATCH", "/orgs/guarded", "GET, HEAD, PUT, DELETE"],
  ["GET", "/connections/guarded", "PUT, DELETE"],
  ["POST", "/connections/guarded/grants/{canvas}", "PUT, DELETE"],
  ["PUT", "/settings", "GET, HEAD, PATCH"],
  ["DELETE", "/audit", "GET, HEAD"],
  ["POST", "/audit", "GET, HEAD"],
];

/** Paths that do not exist, among them routes that would give administrators access to a canvas. */
const UNKNOWN = [
  "",
  "/",
  "/none",
  "/users/{user}/more",
  "/canvases/{canvas}/sharing",
  "/canvases/{canvas}/bundle",
  "/canvases/{canvas}/versions",
  "/audit/1",
];

test("the table of routes has every administration route", () => {
  const plain = (path: string) => path.replace(/\{\w+\}|guarded/g, "*").replace(/\?.*/, "");
  const listed = ACTS.filter(({ allow }) => allow === "administrator");
  for (const { path } of ACTS)
    assert.equal(
      path.startsWith("/api/admin/"),
      listed.some((act) => act.path === path),
      path,
    );
  const mounted = listed.map(({ method, path }) => `${method} ${plain(path.slice("/api".length))}`);
  assert.deepEqual(ROUTES.map(([method, path]) => `${method} /admin${plain(path)}`).sort(), mounted.sort());
});

await onSqlite("access to the administration API", (target, env) => {
  let site: Stage;
  let people: Cast;
  let admin: Person;
  let guest: Person;
  let user: string;
  before(async () => {
    site = await stage(target);
    people = site.people;
    admin = await target.signIn(target.admin);
    // A guest is no administrator, even with the e-mail address of one.
    guest = await guestOf(target, site, target.admin);
    user = String((await manage(target, people.viewer, "GET", "/api/me")).json.id);
  });
  const at = (path: string) => `/api/admin${path.replace("{canvas}", site.id).replace("{user}", user)}`;
  const call = (who: Person | null, method: string, path: string, body?: object) =>
    manage(target, who, method, at(path), body);
  const entries = () => env.db.get`select count(*) as entries from audit`;

  for (const [method, path, body, status] of ROUTES) {
    it(`${method} /api/admin${path}: ${status} for an administrator, 403 for others, 401 without a session`, async () => {
      const previous = await entries();
      for (const who of [people.owner, people.editor, people.viewer, people.stranger, guest]) {
        refused(await call(who, method, path, body), 403, "PERMISSION_DENIED");
      }
      unauthenticated(await call(null, method, path, body));
      assert.deepEqual(await entries(), previous);
      const answer = await call(admin, method, path, body);
      assert.equal(answer.status, status, answer.text);
      assert.equal(answer.headers["cache-control"], "private, no-store");
      if (method !== "GET") return;
      const head = await call(admin, "HEAD", path);
      assert.deepEqual([head.status, head.text], [200, ""]);
      const refusedHead = await call(people.owner, "HEAD", path);
      assert.deepEqual([refusedHead.status, refusedHead.text], [403, ""]);
    });
  }

  for (const [method, path, allow] of WRONG) {
    it(`${method} /api/admin${path}: 405 METHOD_NOT_ALLOWED, Allow: ${allow}`, async () => {
      const answer = await call(admin, method, path);
      refused(answer, 405, "METHOD_NOT_ALLOWED");
      assert.equal(answer.headers.allow, allow);
      unauthenticated(await call(null, method, path));
    });
  }

  for (const path of UNKNOWN) {
    it(`/api/admin${path}: 404 NOT_FOUND with any method`, async () => {
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
        refused(await call(admin, method, path), 404, "NOT_FOUND");
      }
    });
  }

  it("403 for others is sent before the body is read", async () => {
    for (const [method, path, body] of ROUTES) {
      if (body === undefined) continue;
      const headers = [...people.owner.headers, JSON_TYPE];
      const answer = await send(target.base, { method, path: at(path), headers, body: "{" });
      refused(answer, 403, "PERMISSION_DENIED");
    }
  });

  const bodies: [name: string, body: string | Buffer, status: number][] = [
    ["spaces", " ", 400],
    ["half an object", '{"name":', 400],
    ["null", "null", 400],
    ["a list", "[]", 400],
    ["text", '"name"', 400],
    ["a number that overflows", '{"x":1e999}', 400],
    ["invalid UTF-8", Buffer.from('{"name":"\xff"}', "latin1"), 400],
    ["100,000 levels", "[".repeat(100_000), 400],
    ["names of Object.prototype", '{"__proto__":{"name":"a"},"constructor":{},"toString":1}', 400],
    ["more than 256 KiB", `"${"a".repeat(256 * 1024)}"`, 413],
  ];
  for (const [name, body, status] of bodies) {
    const code = status === 413 ? "BODY_TOO_LARGE" : "INVALID_BODY";
    it(`a body of ${name}: ${status} ${code}, and nothing is recorded`, async () => {
      const previous = await entries();
      for (const [method, path, taken] of ROUTES) {
        if (taken === undefined) continue;
        const headers = [...admin.headers, JSON_TYPE];
        const answer = await send(target.base, { method, path: at(path), headers, body });
        refused(answer, status, code);
        const plain = await send(target.base, {
          method,
          path: at(path),
          headers: [...admin.headers, ["Content-Type", "text/plain"]],
          body: JSON.stringify(taken),
        });
        refused(plain, 400, "INVALID_BODY");
      }
      assert.deepEqual(await entries(), previous);
    });
  }

  it("the access token of an administrator is accepted, that of another user is 403", async () => {
    const [own, other] = [await tokenOf(target, admin), await tokenOf(target, people.owner)];
    assert.equal((await call(own, "GET", "/settings")).status, 200);
    refused(await call(other, "GET", "/settings"), 403, "PERMISSION_DENIED");
  });

  const foreign: Header[] = [
    ["Origin", "https://elsewhere.example"],
    ["Sec-Fetch-Site", "cross-site"],
    ["Referer", `${target.base}/c/any-canvas/`],
  ];
  for (const header of foreign) {
    it(`a change with ${header[0]}: ${header[1].replace(/:\d+/, "")} is refused`, async () => {
      const headers = [...admin.headers, JSON_TYPE, header];
      const answer = await send(target.base, { method: "PATCH", path: at("/settings"), headers, body: "{}" });
      refused(answer, 403, "CROSS_SITE_FORBIDDEN");
    });
  }

  const ids = [
    "none",
    "%00",
    "%2e%2e",
    "a%2Fb",
    "'",
    "%f0%9f%a6%8a",
    "constructor",
    "__proto__",
    "a".repeat(200),
  ];
  for (const id of ids) {
    it(`the id ${id.slice(0, 20)}: 404, with or without a body`, async () => {
      for (const change of ["disable", "enable", "restore"]) {
        refused(await call(admin, "POST", `/canvases/${id}/${change}`), 404, "NOT_FOUND");
      }
      refused(await call(admin, "PATCH", `/users/${id}`, { deactivated: false }), 404, "NOT_FOUND");
      refused(await call(admin, "GET", `/orgs/${id}`), 404, "NOT_FOUND");
      refused(await call(admin, "DELETE", `/orgs/${id}`), 404, "NOT_FOUND");
    });
  }

  it("invalid query of a list: 400 INVALID_BODY", async () => {
    for (const path of ["/users", "/canvases", "/audit"]) {
      for (const query of [
        "cursor=%00",
        "cursor=a%20b",
        "cursor=%27",
        `cursor=${"a".repeat(129)}`,
        "q=%00",
        "q=a%00",
      ]) {
        refused(await call(admin, "GET", `${path}?${query}`), 400, "INVALID_BODY");
      }
    }
    for (const query of ["canvas=%00", "canvas=%25", "canvas=a%20b"]) {
      refused(await call(admin, "GET", `/audit?${query}`), 400, "INVALID_BODY");
    }
    for (const query of ["deleted=yes", "deleted=1", "deleted=%00", "deleted=TRUE"]) {
      refused(await call(admin, "GET", `/canvases?${query}`), 400, "INVALID_BODY");
    }
  });

  it("unusual but valid query of a list: 200", async () => {
    const long = "x".repeat(10_000);
    const strange = [
      "limit=999999999",
      "limit=-1",
      "limit=x",
      "limit=1e9",
      "limit=%00",
      "cursor=0",
      "cursor=zzz",
      "q=%ff",
      "q=",
    ];
    for (const path of ["/users", "/canvases", "/audit"]) {
      for (const query of [
        ...strange,
        `q=${long}`,
        `q=${"%25".repeat(4000)}`,
        `q=${"_".repeat(10_000)}`,
        "q=a&q=b",
        "none=1",
      ]) {
        const answer = await call(admin, "GET", `${path}?${query}`);
        assert.equal(answer.status, 200, `${path}?${query.slice(0, 50)}: ${answer.text}`);
      }
      const { json } = await call(admin, "GET", `${path}?cursor=0`);
      assert.deepEqual([Object.values(json)[0], json.nextCursor], [[], null]);
    }
  });
});
