import assert from "node:assert/strict";
import { METHODS } from "node:http";
import { before, describe, it } from "node:test";
import { type Stage, stage } from "../fixture.ts";
import { call, JSON_TYPE, open } from "../page.ts";
import { answered, refused, wrongMethod } from "../refusal.ts";
import type { Target } from "../target.ts";

const WRONG_METHODS: [method: string, path: string, allowed: string[]][] = [
  ["POST", "/me", ["GET"]],
  ["PUT", "/me", ["GET"]],
  ["DELETE", "/me", ["GET"]],
  ["POST", "/kv", ["GET"]],
  ["PUT", "/kv", ["GET"]],
  ["DELETE", "/kv", ["GET"]],
  ["PUT", "/kv/user", ["GET"]],
  ["DELETE", "/kv/user", ["GET"]],
  ["PUT", "/kv/%75ser", ["GET"]],
  ["PATCH", "/kv/k", ["GET", "PUT", "DELETE"]],
  ["POST", "/kv/k", ["GET", "PUT", "DELETE"]],
  ["POST", "/kv/user/k", ["GET", "PUT", "DELETE"]],
  ["POST", "/kv/increment", ["GET", "PUT", "DELETE"]],
  ["POST", "/kv/user/increment", ["GET", "PUT", "DELETE"]],
  ["GET", "/kv/k/increment", ["POST"]],
  ["PUT", "/kv/k/increment", ["POST"]],
  ["DELETE", "/kv/user/k/increment", ["POST"]],
];

const UNKNOWN_PATHS: [name: string, path: string][] = [
  ["a primitive that does not exist", "/no-such-path"],
  ["beneath /me", "/me/more"],
  ["beneath a key", "/kv/k/other"],
  ["beneath increment", "/kv/k/increment/more"],
  ["beneath a key of the user scope", "/kv/user/k/other"],
  ["an encoded slash does not part segments", "/kv%2Fuser"],
  ["a segment encoded twice", "/%256de"],
  ["in other case", "/ME"],
  ["an object-prototype name", "/constructor"],
  ["dots do not lead to another route", "/kv/x/../me"],
];

const BROKEN_PATHS = [
  "/kv/%ff",
  "/kv/%",
  "/kv/%zz",
  "/kv/%c3%28",
  "/kv/%ed%a0%80",
  "/kv/user/%ff",
  "/%ff",
  "/kv/%ff/increment",
];

/** Methods that no route has. OPTIONS is left out because it is a preflight, and CONNECT because it has no path. */
const OTHER_METHODS = METHODS.filter(
  (method) => !["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE", "OPTIONS", "CONNECT"].includes(method),
);

/** Tests that unknown paths, paths that cannot be decoded and wrong methods are refused with an error code. */
export function routing(target: Target): void {
  describe("paths and methods", () => {
    let lit: Stage;
    before(async () => {
      lit = await stage(target);
    });

    for (const [method, path, allowed] of WRONG_METHODS) {
      it(`${method} ${path}: 405 METHOD_NOT_ALLOWED, Allow: ${allowed}`, async () => {
        const body = method === "DELETE" || method === "GET" ? undefined : "1";
        const type = body === undefined ? [] : [JSON_TYPE];
        const answer = await lit.pages.owner.send(method, path, type, body);
        wrongMethod(answer, allowed);
      });
    }

    it("after all the wrong methods nothing is stored", async () => {
      for (const [method, path] of WRONG_METHODS) {
        if (method !== "GET") await lit.pages.owner.send(method, path, [JSON_TYPE], "1");
      }
      answered(await lit.pages.owner.get("/kv"), { entries: [], nextCursor: null });
      answered(await lit.pages.owner.get("/kv/user"), { entries: [], nextCursor: null });
    });

    for (const [name, path] of UNKNOWN_PATHS) {
      it(`${path} (${name}): 404 NOT_FOUND`, async () => {
        refused(await lit.pages.owner.get(path), 404, "NOT_FOUND");
      });
    }

    for (const path of BROKEN_PATHS) {
      it(`${path} is not UTF-8, percent-encoded: 400 INVALID_BODY`, async () => {
        for (const method of ["GET", "DELETE"]) {
          refused(await lit.pages.owner.send(method, path), 400, "INVALID_BODY");
        }
      });
    }

    it("a slug that is not UTF-8 belongs to no canvas: 404 NOT_FOUND", async () => {
      refused(await open(target, "%ff", lit.people.owner).get("/me"), 404, "NOT_FOUND");
    });

    for (const method of OTHER_METHODS) {
      it(`${method}: 405 METHOD_NOT_ALLOWED on a known path, 404 NOT_FOUND on an unknown one`, async () => {
        wrongMethod(await lit.pages.owner.send(method, "/me"), ["GET"]);
        wrongMethod(await lit.pages.owner.send(method, "/kv/k"), ["GET", "PUT", "DELETE"]);
        refused(await lit.pages.owner.send(method, "/no-such-path"), 404, "NOT_FOUND");
      });
    }

    it("segments are decoded once: /%6de is /me, the slug likewise", async () => {
      const { owner } = lit.people;
      const encoded = `%${lit.slug.charCodeAt(0).toString(16)}${lit.slug.slice(1)}`;
      for (const [slug, path] of [
        [lit.slug, "/%6de"],
        [encoded, "/me"],
      ] as const) {
        const answer = await call(target, slug, owner, "GET", path);
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.json.email, owner.email);
      }
    });

    it("dots in a path do not lead to another canvas", async () => {
      const hidden = await stage(target);
      await hidden.pages.owner.put("/kv/secret", "hidden");
      for (const dots of ["..", "%2e%2e", "..%2f"]) {
        const answer = await lit.pages.owner.get(`/${dots}/${hidden.slug}/kv/secret`);
        assert.equal(answer.status, 404, answer.text);
        assert.ok(!answer.text.includes("hidden"));
      }
    });

    it("every refusal has a request id of its own", async () => {
      const answers = await Promise.all([1, 2, 3].map(() => lit.pages.owner.get("/no-such-path")));
      assert.equal(new Set(answers.map(({ json }) => json.requestId)).size, 3);
    });
  });
}
