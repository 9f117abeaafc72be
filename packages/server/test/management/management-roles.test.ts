import assert from "node:assert/strict";
import { before, it } from "node:test";
import { type Role, type Stage, stage } from "@easel/conformance/fixture";
import { type Answer, type Header, send } from "@easel/conformance/http";
import { refused, unauthenticated } from "@easel/conformance/refusal";
import type { ErrorCode } from "@easel/protocol/errors";
import { JSON_TYPE } from "../support/client.ts";
import { onSqlite } from "../support/engines.ts";
import { publish } from "../support/publish.ts";
import { zip } from "../support/zip.ts";

const WHO = ["owner", "editor", "viewer", "stranger", "admin", "nobody"] as const;
type Who = (typeof WHO)[number];

const READERS = [200, 200, 200, 404, 404, 401];
const MANAGERS = [200, 200, 403, 404, 404, 401];
const CODES: Record<number, ErrorCode> = {
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  405: "METHOD_NOT_ALLOWED",
};

/** Each route of a canvas, a body, and the status for each caller in `WHO` (docs/http/management.md#callers). */
const ROUTES: [
  method: string,
  path: string,
  type: Header,
  body: string | Buffer | undefined,
  statuses: number[],
][] = [
  ["GET", "", JSON_TYPE, undefined, READERS],
  ["HEAD", "", JSON_TYPE, undefined, READERS],
  ["GET", "/versions", JSON_TYPE, undefined, READERS],
  ["PUT", "/bundle", ["Content-Type", "application/zip"], await zip({ "index.html": "new" }), MANAGERS],
  ["GET", "/bundle", JSON_TYPE, undefined, MANAGERS],
  ["HEAD", "/versions/{version}/bundle", JSON_TYPE, undefined, MANAGERS],
  ["POST", "/versions/{version}/publish", JSON_TYPE, undefined, MANAGERS],
  ["PUT", "/sharing", JSON_TYPE, '{"access":"private"}', MANAGERS],
  ["PATCH", "/capabilities", JSON_TYPE, '{"kv":true}', MANAGERS],
];

/** Existing paths with a method that they do not support, and the methods that they support. */
const WRONG: [method: string, path: string, allow: string[]][] = [
  ["POST", "/me", ["GET"]],
  ["PUT", "/me", ["GET"]],
  ["DELETE", "/me", ["GET"]],
  ["PUT", "/canvases", ["GET", "POST"]],
  ["PATCH", "/canvases", ["GET", "POST"]],
  ["POST", "/canvases/{id}", ["GET", "PATCH", "DELETE"]],
  ["POST", "/canvases/{id}/bundle", ["GET", "PUT"]],
  ["PATCH", "/canvases/{id}/bundle", ["GET", "PUT"]],
  ["POST", "/canvases/{id}/versions", ["GET"]],
  ["GET", "/canvases/{id}/versions/{version}", ["DELETE"]],
  ["PUT", "/canvases/{id}/versions/{version}/bundle", ["GET"]],
  ["GET", "/canvases/{id}/versions/{version}/publish", ["POST"]],
  ["GET", "/canvases/{id}/sharing", ["PUT"]],
  ["PATCH", "/canvases/{id}/sharing", ["PUT"]],
  ["PUT", "/canvases/{id}/capabilities", ["PATCH"]],
  ["GET", "/canvases/{id}/capabilities", ["PATCH"]],
];

const UNKNOWN = [
  "",
  "/",
  "/none",
  "/me/",
  "/me/more",
  "/ME",
  "//me",
  "/canvases/{id}/",
  "/canvases/{id}/none",
];
const STRANGE = [
  "/constructor",
  "/__proto__",
  "/canvases/{id}/sharing/more",
  "/canvases/{id}/versions/{version}/more",
  "/%6de%2f",
];

await onSqlite("roles and routes", (target) => {
  let site: Stage;
  let version: string;
  let headers: Record<Who, Header[]>;
  before(async () => {
    site = await stage(target);
    version = await publish(target, site, { "index.html": "home" });
    const people = (role: Role) => site.people[role].headers;
    headers = {
      owner: people("owner"),
      editor: people("editor"),
      viewer: people("viewer"),
      stranger: people("stranger"),
      admin: (await target.signIn(target.admin)).headers,
      nobody: [],
    };
  });
  const call = (
    who: Who,
    method: string,
    path: string,
    type: Header = JSON_TYPE,
    body?: string | Buffer,
  ): Promise<Answer> =>
    send(target.base, {
      method,
      path: `/api${path.replace("{id}", site.id).replace("{version}", version)}`,
      headers: [...headers[who], ...(body === undefined ? [] : [type])],
      ...(body === undefined ? {} : { body }),
    });

  for (const [method, path, type, body, statuses] of ROUTES) {
    for (const [index, who] of WHO.entries()) {
      it(`${method} /api/canvases/{id}${path} as ${who}: ${statuses[index]}`, async () => {
        const answer = await call(who, method, `/canvases/{id}${path}`, type, body);
        const status = statuses[index] ?? 0;
        assert.equal(answer.status, status, answer.text);
        assert.equal(answer.headers["cache-control"], "private, no-store");
        if (method === "HEAD") assert.equal(answer.text, "");
        else if (status === 401) unauthenticated(answer);
        else if (status >= 400) refused(answer, status, CODES[status] ?? "INTERNAL_ERROR");
      });
    }
  }

  for (const [method, path, allow] of WRONG) {
    it(`${method} /api${path}: 405 METHOD_NOT_ALLOWED, Allow: ${allow.join(", ")}`, async () => {
      const answer = await call("owner", method, path);
      refused(answer, 405, "METHOD_NOT_ALLOWED");
      const given = String(answer.headers.allow)
        .split(",")
        .map((each) => each.trim());
      assert.deepEqual(given.filter((each) => each !== "HEAD").sort(), allow.toSorted());
      unauthenticated(await call("nobody", method, path));
    });
  }

  for (const path of [...UNKNOWN, ...STRANGE]) {
    it(`/api${path}: 404 NOT_FOUND with any method`, async () => {
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
        refused(await call("owner", method, path), 404, "NOT_FOUND");
      }
    });
  }
});
