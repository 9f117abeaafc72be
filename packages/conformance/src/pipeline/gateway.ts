import { before, describe, it } from "node:test";
import { freshSlug, type Stage, stage } from "../fixture.ts";
import { type Header, send } from "../http.ts";
import { call, JSON_TYPE, open } from "../page.ts";
import { refused, unauthenticated } from "../refusal.ts";
import type { Target } from "../target.ts";

/**
 * Tests that every request without a session gets 401 `{ error }`, or in oidc mode a redirect to the login route (specification 4.1, step
 * 1).
 */
export function gateway(target: Target): void {
  describe("step 1: auth gateway", () => {
    let canvas: Stage;
    before(async () => {
      canvas = await stage(target, { access: "whole_org" });
    });

    const requests: [method: string, path: string][] = [
      ["GET", "/me"],
      ["GET", "/kv"],
      ["GET", "/kv/user"],
      ["GET", "/kv/k"],
      ["PUT", "/kv/gateway"],
      ["DELETE", "/kv/k"],
      ["POST", "/kv/k/increment"],
      ["POST", "/me"],
      ["GET", "/no-such-path"],
    ];
    for (const [method, path] of requests) {
      it(`${method} ${path} without a session: 401 { error }`, async () => {
        const body = method === "PUT" || method === "POST" ? "1" : undefined;
        unauthenticated(await open(target, canvas.slug, null).send(method, path, [JSON_TYPE], body), target);
      });
    }

    it("an unknown slug without a session: 401 { error }", async () => {
      unauthenticated(await open(target, freshSlug(), null).get("/me"), target);
    });

    it("a refused write stores nothing", async () => {
      unauthenticated(await open(target, canvas.slug, null).put("/kv/unwritten", 1), target);
      refused(await canvas.pages.owner.get("/kv/unwritten"), 404, "NOT_FOUND");
    });

    for (const [name, forge] of strangers(target)) {
      it(`${name}: 401 { error }`, async () => {
        const forged = forge(canvas.people.owner.headers);
        unauthenticated(await call(target, canvas.slug, null, "GET", "/me", forged), target);
      });
    }

    if (target.authMode !== "dev") {
      it(`${target.authMode} mode has no dev sessions`, async () => {
        const answer = await send(target.base, {
          method: "POST",
          path: "/auth/dev/session",
          headers: [JSON_TYPE],
          body: JSON.stringify({ email: canvas.people.owner.email }),
        });
        refused(answer, 404, "NOT_FOUND");
      });
    }
  });
}

type Forgery = [name: string, forge: (owner: Header[]) => Header[]];

/**
 * Returns ways to forge credentials. Each row has a name for the test, and a function that gets the valid headers of the owner and returns
 * headers with which the service must find no session.
 */
function strangers({ authMode }: Target): Forgery[] {
  if (authMode === "proxy") {
    return [
      ["two identity headers", (owner) => [...owner, ["X-Auth-Request-Email", "second@example.com"]]],
      ["the same identity header twice", (owner) => [...owner, ...owner]],
      ["an empty identity header", () => [["X-Auth-Request-Email", ""]]],
      ["a name without an e-mail address", (owner) => owner.filter(([name]) => !name.endsWith("Email"))],
      ["other identity headers", (owner) => owner.map(([, value]) => ["X-Forwarded-Email", value])],
    ];
  }
  const cookies = (change: (value: string) => string) => (owner: Header[]) =>
    owner.map(
      ([header, line]): Header => [header, line.replace(/=([^;]+)/g, (_, value) => `=${change(value)}`)],
    );
  return [
    ["a made-up session cookie", cookies(() => "x".repeat(43))],
    ["an empty session cookie", cookies(() => "")],
    ["a session cookie cut short", cookies((value) => value.slice(0, -1))],
    ["a session cookie with something added", cookies((value) => `${value}A`)],
    ["a session cookie under another name", (owner) => owner.map(([header, line]) => [header, `x${line}`])],
    ["identity headers of a proxy", () => [["X-Auth-Request-Email", "dev@example.com"]]],
  ];
}
