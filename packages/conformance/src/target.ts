import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type Header, send } from "./http.ts";

/** A person. `headers` identify them in a request: a session cookie, identity headers or a token. */
export interface Person {
  email: string;
  name: string;
  headers: Header[];
}

/**
 * The AI provider of the service under test. It is a stand-in: a program that runs a script given in the chat message. `wire` is the
 * protocol that the service uses to talk to it.
 */
export interface StandIn {
  /** The address that the provider printed when it was started, such as `http://127.0.0.1:4000`. */
  url: string;
  wire: "anthropic" | "openai";
}

/** A running service, and how to sign in to it. */
export interface Target {
  /** Origin of the service, without a slash at its end. */
  base: string;
  urlMode: "path" | "subdomain";
  authMode: "dev" | "proxy" | "oidc";
  /** Whether the service enforces its rate limits. If so, only the tests of rate limits run. Otherwise, all other tests run. */
  rateLimited: boolean;
  signIn(email: string, name?: string): Promise<Person>;
  /**
   * The ids of the test canvases by slug, if the requests to the runtime API use its second path, below the management API. Absent if they
   * use `/v1/c/{slug}`.
   */
  ids?: Map<string, string>;
  /** E-mail address of an instance administrator. */
  admin: string;
  /** The stand-in AI provider, which responds as a script in the chat message says. Absent if the service does not use it. */
  ai?: StandIn;
  /**
   * The origin of the stand-in for an external API, such as `https://localhost:4000`. This process and the service trust its certificate,
   * and the service may connect to its address. Absent if there is none.
   */
  upstream?: string;
}

/** The optional settings of a target. */
export type TargetOptions = Partial<Pick<Target, "rateLimited" | "admin" | "ai" | "upstream">>;

/** Returns a target in dev auth mode, where `POST /auth/dev/session` starts a session. */
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

/** Returns a target in proxy auth mode. The service must trust the identity headers that this machine sends. */
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

/** Returns a target in oidc auth mode. `signIn` signs a person in at the identity provider. */
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

/** Returns an unused e-mail address. */
export function freshEmail(label: string): string {
  return `${label}-${randomBytes(8).toString("hex")}@example.com`;
}

function common(base: string, urlMode: Target["urlMode"], options: TargetOptions) {
  return { base: origin(base), urlMode, rateLimited: false, admin: "dev@example.com", ...options };
}

function origin(base: string): string {
  return new URL(base).origin;
}

/**
 * Encodes a text as UTF-8, and returns a string with one character for each byte. Node sends each character of a header as one byte, so the
 * service receives UTF-8.
 */
function utf8(text: string): string {
  return Buffer.from(text).toString("latin1");
}

function nameOf(email: string): string {
  return `Name of ${email.split("@", 1)[0]}`;
}
