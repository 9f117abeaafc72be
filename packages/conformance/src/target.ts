import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type Header, send } from "./http.ts";

/** Somebody with an e-mail address; `headers` make a request come from that person. */
export interface Person {
  email: string;
  name: string;
  headers: Header[];
}

/** A running service and how to reach it as a person. */
export interface Target {
  /** Origin of the service, without a slash at its end. */
  base: string;
  urlMode: "path" | "subdomain";
  authMode: "dev" | "proxy" | "oidc";
  /** True: the service meters requests, and only the rows on rate limits run. False: it does not. */
  rateLimited: boolean;
  signIn(email: string, name?: string): Promise<Person>;
  /** E-mail address of an instance administrator. */
  admin: string;
}

/** What a target is besides its address and modes. */
export type TargetOptions = Partial<Pick<Target, "rateLimited" | "admin">>;

/** A service in dev auth mode: `POST /auth/dev/session` starts a session, its cookie is the person. */
export function devTarget(base: string, urlMode: Target["urlMode"], options: TargetOptions = {}): Target {
  return {
    ...common(base, urlMode, options),
    authMode: "dev",
    async signIn(email, name = nameOf(email)) {
      const answer = await send(origin(base), {
        method: "POST",
        path: "/auth/dev/session",
        headers: [["Content-Type", "application/json"]],
        body: JSON.stringify({ email, name }),
      });
      assert.equal(answer.status, 204, `sign-in: ${answer.text}`);
      const cookies = (answer.headers["set-cookie"] ?? []).map((line) => line.split(";", 1)[0]);
      assert.notEqual(cookies.length, 0, "sign-in sets a cookie");
      return { email, name, headers: [["Cookie", cookies.join("; ")]] };
    },
  };
}

/** A service in proxy auth mode that trusts the identity headers of this machine. */
export function proxyTarget(base: string, urlMode: Target["urlMode"], options: TargetOptions = {}): Target {
  return {
    ...common(base, urlMode, options),
    authMode: "proxy",
    async signIn(email, name = nameOf(email)) {
      const headers: Header[] = [
        ["X-Auth-Request-Email", email],
        ["X-Auth-Request-Preferred-Username", utf8(name)],
      ];
      return { email, name, headers };
    },
  };
}

/** A service in oidc auth mode; how its provider signs somebody in is up to the caller. */
export function oidcTarget(
  base: string,
  urlMode: Target["urlMode"],
  signIn: (email: string, name: string) => Promise<Person>,
  options: TargetOptions = {},
): Target {
  return {
    ...common(base, urlMode, options),
    authMode: "oidc",
    signIn: (email, name = nameOf(email)) => signIn(email, name),
  };
}

/** An e-mail address nobody has used before. */
export function freshEmail(label: string): string {
  return `${label}-${randomBytes(8).toString("hex")}@example.com`;
}

function common(base: string, urlMode: Target["urlMode"], options: TargetOptions) {
  return { base: origin(base), urlMode, rateLimited: false, admin: "dev@example.com", ...options };
}

function origin(base: string): string {
  return new URL(base).origin;
}

/** Header bytes go out as Latin-1, proxies send UTF-8. */
function utf8(text: string): string {
  return Buffer.from(text).toString("latin1");
}

function nameOf(email: string): string {
  return `Name of ${email.split("@", 1)[0]}`;
}
