import assert from "node:assert/strict";
import path from "node:path";
import { send } from "@easel/conformance/http";
import { SetupError } from "../../src/config/setting-types.ts";
import { seedExamples } from "../../src/management/seed-examples.ts";
import { serve } from "../../src/service.ts";
import { cookieOf, JSON_TYPE, signIn } from "./client.ts";
import { atEnd, ENGINES, type Scope, temporaryDirectory } from "./service.ts";

const SECRET = "a secret of the tests that is long enough";
const KEY = Buffer.alloc(32, 1).toString("base64");

/** An instance in a directory of its own, with `more` settings, and a folder for its backups. */
export async function newInstance(scope: Scope, engine = ENGINES[0], more: Record<string, string> = {}) {
  const directory = await temporaryDirectory(scope);
  const settings: Record<string, string> = {
    SERVICE_DATA_DIR: directory,
    SERVICE_SESSION_SECRET: SECRET,
    SERVICE_ENCRYPTION_KEY: KEY,
    SERVICE_RATELIMIT_ENABLED: "false",
    SERVICE_LOG_LEVEL: "fatal",
    ...(engine?.name === "postgres" && { SERVICE_DATABASE_URL: await engine.migratedDatabase(scope) }),
    ...more,
  };
  const backups = path.join(await temporaryDirectory(scope), "backups");

  /** Starts the service with examples, and returns what an owner does with it. */
  async function start(examples: string[] = []) {
    const { env, stop } = await startWith(scope, settings, examples);
    const base = env.base.origin;
    const session = cookieOf(await signIn(base, { email: "dev@example.com" }));
    const call = (method: string, at: string, body?: unknown) =>
      send(base, {
        method,
        path: at,
        headers: [session, JSON_TYPE, ["Origin", base]],
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    return {
      env,
      stop,
      put: async (key: string, value: unknown) =>
        assert.equal((await call("PUT", `/v1/c/board/kv/${key}`, value)).status, 200),
      read: async (key: string) => (await call("GET", `/v1/c/board/kv/${key}`)).text,
      page: async () => (await call("GET", "/c/board/")).status,
    };
  }
  return { directory, settings, backups, start };
}

/** Starts a service that locks its database. Returns it with a function that stops it. */
export async function startWith(scope: Scope, settings: Record<string, string>, examples: string[] = []) {
  const environment = { SERVICE_PORT: "0", SERVICE_HOST: "127.0.0.1", ...settings };
  const { env, seeded, stop } = await serve(environment, {
    seed: (env) => seedExamples(env, undefined, examples),
    drainMs: 0,
  });
  let stopped: Promise<void> | undefined;
  const once = () => (stopped ??= stop());
  atEnd(scope, once);
  await seeded;
  return { env, stop: once };
}

/** Asserts that work is refused in words. */
export const refused = (work: Promise<unknown>, message: RegExp) =>
  assert.rejects(work, (error) => {
    assert.ok(error instanceof SetupError, String((error as Error).stack));
    assert.match(error.message, message);
    return true;
  });
