import crypto from "node:crypto";
import { Readable } from "node:stream";
import {
  announceAccess,
  createCanvas,
  type Env,
  findForAccess,
  Passwords,
  patchCanvas,
  publishStored,
  Refusal,
  type Service,
  SetupError,
  serve,
  setCapabilities,
  setSharing,
  storeVersion,
  type User,
  upsertUser,
} from "@easel/server";
import type { EaselJson } from "@easel/server/easel-json";
import { audiencesIn, switchesFor } from "@easel/server/easel-json-changes";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import { EDITOR, EXAMPLE_PEOPLE, OWNER } from "./dev-sign-in.ts";

/** The settings of the service that `easel dev` takes from the environment. All others are fixed. */
const PASSED_ON = /^SERVICE_(AI_.+|ENCRYPTION_KEY|CONNECTIONS_PRIVATE_CIDRS|LOG_LEVEL)$/;

/** The page of a placeholder version, because a canvas is published only with a version. The files of the folder are served instead. */
const PLACEHOLDER = Buffer.from("<!doctype html><title>easel dev</title>\n");

function settingsFor(
  baseUrl: string,
  dataDir: string,
  environment: Record<string, string | undefined>,
): Record<string, string | undefined> {
  return {
    SERVICE_LOG_LEVEL: "error",
    ...Object.fromEntries(Object.entries(environment).filter(([name]) => PASSED_ON.test(name))),
    SERVICE_AUTH_MODE: "dev",
    SERVICE_URL_MODE: "path",
    SERVICE_HOST: "127.0.0.1",
    SERVICE_PORT: "0",
    SERVICE_BASE_URL: baseUrl,
    SERVICE_DATA_DIR: dataDir,
    SERVICE_ADMIN_EMAILS: OWNER.email,
    SERVICE_AUTHORING: "on",
    SERVICE_RATELIMIT_LOGIN_PER_MIN: "100000",
  };
}

/** Returns what hashes the passwords of canvases in JavaScript if Node has no built-in Argon2, such as Node 22. */
async function passwordHashing(): Promise<{ passwords?: Passwords }> {
  if (crypto.argon2 !== undefined) return {};
  const { argon2idAsync } = await import("@noble/hashes/argon2.js");
  const passwords = new Passwords(
    2,
    undefined,
    ({ message, nonce, memory: m, passes: t, parallelism: p, tagLength: dkLen }) =>
      argon2idAsync(message, nonce, { m, t, p, dkLen }),
  );
  return { passwords };
}

/**
 * Starts a service in this process, in dev sign-in mode, for pages at `baseUrl`. It listens on a free loopback port. Throws a `Failure` if
 * its data cannot be used.
 */
export async function startService(
  baseUrl: string,
  dataDir: string,
  environment: Record<string, string | undefined>,
): Promise<Service> {
  try {
    const hashing = await passwordHashing();
    return await serve(settingsFor(baseUrl, dataDir, environment), {
      seed: async () => {},
      replace: () => ({ ...hashing, isDev: true }),
    });
  } catch (error) {
    if (error instanceof SetupError) fail(clean(error.message));
    throw error;
  }
}

/** Creates the example people who do not exist yet. Returns the owner. */
async function addPeople({ db, clock }: Env): Promise<User> {
  for (const { email, name } of EXAMPLE_PEOPLE)
    if ((await db.get`select 1 as known from users where email = ${email}`) === undefined)
      await upsertUser(db, email, name, clock());
  const owner = await upsertUser(db, OWNER.email, null, clock());
  return owner ?? fail(`${OWNER.email} is deactivated.`, { hint: "Use --throw-away, or delete .easel/dev." });
}

/** Finds the canvas with a slug, or creates one that the whole organisation may enter. Publishes it if necessary. Returns its id. */
export async function openCanvas(slug: string, title: string, env: Env): Promise<string> {
  const owner = await addPeople(env);
  const known = await findForAccess(slug, owner.email, env);
  let id = known?.deletedAt === null ? known.id : null;
  if (id === null) {
    try {
      ({ id } = await createCanvas(owner, { title, slug, tags: [] }, env));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return fail(clean(error.message), { hint: "Use --throw-away, or delete .easel/dev." });
    }
    await setSharing(id, { access: "whole_org", people: [{ email: EDITOR.email, role: "editor" }] }, env);
  }
  if (known?.id !== id || known.versionId === null || known.revokedAt !== null) {
    const file = {
      path: "index.html",
      size: PLACEHOLDER.length,
      open: async () => Readable.from([PLACEHOLDER]),
    };
    await publishStored(await storeVersion(id, owner.id, [file], env), env);
  }
  return id;
}

/** Sets a canvas up as the first deploy with an `easel.json` does: title, routing, policy and capabilities. */
export async function applyEaselJson(
  id: string,
  settings: EaselJson,
  folderName: string,
  env: Env,
): Promise<void> {
  const { title = folderName, spa = false, policy: runtimePolicy = null, capabilities } = settings;
  await patchCanvas(id, { title, spa }, env);
  await setCapabilities(
    id,
    { ...switchesFor(capabilities), ...audiencesIn(settings) },
    { runtimePolicy },
    env,
  );
  await announceAccess({ canvas: id }, env);
}
