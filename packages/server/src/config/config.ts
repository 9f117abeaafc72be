import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import path from "node:path";
import { newId } from "../crypto/ids.ts";
import { makeDirectory } from "../disk/private-files.ts";
import { readS3, type S3Settings } from "./s3-settings.ts";
import { type Setting, SetupError } from "./setting-types.ts";
import { SETTINGS } from "./settings.ts";

type Read = {
  [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name] extends Setting<infer Value> ? Value : never;
};

/** The validated settings. */
export interface Config extends Read {
  host: string;
  databaseUrl: string;
  blobsUrl: string;
  /** The bucket that `blobsUrl` names; null for a directory. */
  s3: S3Settings | null;
  /** The texts of the settings that the environment contains, by their names. Secrets are masked. */
  given: Readonly<{ [Name in keyof typeof SETTINGS]?: string }>;
}

/** Thrown when environment variables are invalid. `mistakes` contains a message for each mistake. */
export class ConfigError extends SetupError {
  readonly mistakes: string[];
  constructor(mistakes: string[]) {
    super(
      `The settings have ${mistakes.length === 1 ? "a mistake" : "mistakes"}:\n${mistakes.map((each) => `  ${each}`).join("\n")}`,
    );
    this.mistakes = mistakes;
  }
}

/** Returns whether a host name or IP address leads to this machine by its form alone, such as `localhost` or `127.0.0.1`. */
export const isLoopback = (address: string) =>
  /^(localhost|127(\.\d+){3}|\[?::1\]?|.+\.localhost)$/.test(address);

/** Whether a SERVICE_DATABASE_URL names a PostgreSQL server, which several nodes can use. */
export const isPostgres = (databaseUrl: string) => /^postgres(ql)?:/.test(databaseUrl);

/** Invalid combinations of settings, with their error messages. */
const IMPOSSIBLE: { when: (read: Read) => boolean; message: string }[] = [
  {
    when: (read) => read.authMode === "dev" && read.host !== null && !isLoopback(read.host),
    message: "SERVICE_HOST must be a loopback address in dev mode, where anyone may sign in as anyone",
  },
  {
    when: (read) =>
      read.authMode === "dev" && read.baseUrl !== null && !isLoopback(new URL(read.baseUrl).hostname),
    message: "SERVICE_BASE_URL must be a loopback address in dev mode, where anyone may sign in as anyone",
  },
  {
    when: (read) =>
      read.baseUrl?.startsWith("http:") === true &&
      read.authMode !== "dev" &&
      !isLoopback(new URL(read.baseUrl).hostname),
    message: "SERVICE_BASE_URL must be https outside dev mode, unless it is a loopback address",
  },
  {
    when: (read) => read.baseUrl !== null && !isOrigin(read.baseUrl),
    message: "SERVICE_BASE_URL must be an origin, without a path, query, fragment or user",
  },
  {
    when: (read) =>
      read.urlMode === "subdomain" &&
      read.baseUrl !== null &&
      isIP(new URL(read.baseUrl).hostname.replace(/[[\]]/g, "")) !== 0,
    message: "SERVICE_BASE_URL must be a name, not an address, when SERVICE_URL_MODE is `subdomain`",
  },
  {
    when: (read) => read.authMode !== "dev" && read.sessionSecret === null,
    message: "SERVICE_SESSION_SECRET is required outside dev mode",
  },
  {
    when: (read) =>
      read.authMode === "proxy" && read.proxyTrustedIps.rules.length === 0 && read.proxyJwksUrl === null,
    message:
      "SERVICE_PROXY_TRUSTED_IPS or SERVICE_PROXY_JWT_JWKS_URL is required when SERVICE_AUTH_MODE is `proxy`: otherwise anyone could claim to be anyone",
  },
  {
    when: (read) => read.authMode === "oidc" && read.oidcIssuer === null,
    message: "SERVICE_OIDC_ISSUER is required when SERVICE_AUTH_MODE is `oidc`",
  },
  {
    when: (read) => read.authMode === "oidc" && read.oidcClientId === null,
    message: "SERVICE_OIDC_CLIENT_ID is required when SERVICE_AUTH_MODE is `oidc`",
  },
  {
    when: (read) => read.authMode === "oidc" && read.oidcIssuer !== null && !isProtectedUrl(read.oidcIssuer),
    message: "SERVICE_OIDC_ISSUER must be https, unless it is a loopback address, and hold no user",
  },
  {
    when: (read) => read.authMode === "oidc" && read.oidcIssuer !== null && !isIssuer(read.oidcIssuer),
    message:
      "SERVICE_OIDC_ISSUER must be the issuer alone, without a query, a fragment or a `/.well-known/` path",
  },
  {
    when: (read) => read.authMode === "oidc" && !read.oidcScopes.split(" ").includes("openid"),
    message: "SERVICE_OIDC_SCOPES must name `openid`",
  },
  {
    when: (read) =>
      read.authMode === "oidc" &&
      read.oidcEmailVerified === "if_present" &&
      read.allowedEmailDomains.length === 0,
    message:
      "SERVICE_ALLOWED_EMAIL_DOMAINS is required when SERVICE_OIDC_EMAIL_VERIFIED is `if_present`: otherwise an address that nobody has verified would do",
  },
  {
    when: (read) =>
      read.authMode === "oidc" &&
      read.oidcEmailVerified === "if_present" &&
      read.oidcIssuer !== null &&
      isOpenEntra(read.oidcIssuer),
    message:
      "SERVICE_OIDC_EMAIL_VERIFIED must not be `if_present` with this SERVICE_OIDC_ISSUER: administrators of other Entra tenants choose the addresses of their people. Name your tenant: https://login.microsoftonline.com/{tenant id}/v2.0",
  },
  {
    when: (read) =>
      read.authMode === "oidc" && read.oidcEmailClaim !== "email" && read.oidcEmailVerified === "required",
    message:
      "SERVICE_OIDC_EMAIL_VERIFIED must be `if_present` when SERVICE_OIDC_EMAIL_CLAIM is not `email`: what a provider says about verification is about `email`",
  },
  {
    when: (read) =>
      read.oidcGroupsClaim === null && read.oidcAllowedGroups.length + read.oidcAdminGroups.length > 0,
    message:
      "SERVICE_OIDC_GROUPS_CLAIM is required with SERVICE_OIDC_ALLOWED_GROUPS and SERVICE_OIDC_ADMIN_GROUPS: it names the claim that they are compared with",
  },
  {
    when: (read) => read.authMode === "proxy" && read.oidcGroupsClaim !== null && read.proxyJwksUrl === null,
    message:
      "SERVICE_PROXY_JWT_JWKS_URL is required with SERVICE_OIDC_GROUPS_CLAIM when SERVICE_AUTH_MODE is `proxy`: groups are read from the signed token alone",
  },
  {
    when: (read) =>
      read.authMode === "proxy" && read.proxyJwksUrl !== null && !isProtectedUrl(read.proxyJwksUrl),
    message:
      "SERVICE_PROXY_JWT_JWKS_URL must be https, unless it is a loopback address, and hold no user: its keys decide who may sign in",
  },
  {
    when: (read) => read.authMode === "proxy" && read.proxyJwksUrl !== null && read.proxyJwtIssuer === null,
    message:
      "SERVICE_PROXY_JWT_ISSUER is required with SERVICE_PROXY_JWT_JWKS_URL: otherwise tokens of others with the same keys would count",
  },
  {
    when: (read) => read.authMode === "proxy" && read.proxyJwksUrl !== null && read.proxyJwtAudience === null,
    message:
      "SERVICE_PROXY_JWT_AUDIENCE is required with SERVICE_PROXY_JWT_JWKS_URL: otherwise tokens for other applications would count",
  },
  {
    when: (read) => read.smtpUrl !== null && read.mailFrom === null,
    message: "SERVICE_MAIL_FROM is required with SERVICE_SMTP_URL: who the mails are from",
  },
  {
    when: (read) => read.workers > 1 && (read.databaseUrl === null || !isPostgres(read.databaseUrl)),
    message:
      "SERVICE_WORKERS above 1 needs PostgreSQL in SERVICE_DATABASE_URL: on SQLite one process is as fast as several",
  },
  {
    when: (read) => read.workers > 1 && read.busUrl === "memory:",
    message:
      "SERVICE_WORKERS above 1 needs a Redis or Valkey server in SERVICE_BUS_URL: otherwise pages on one worker would not see those on another",
  },
  {
    when: (read) =>
      read.busUrl !== "memory:" &&
      read.sessionSecret === null &&
      read.databaseUrl !== null &&
      isPostgres(read.databaseUrl),
    message:
      "SERVICE_SESSION_SECRET is required when nodes share SERVICE_DATABASE_URL and SERVICE_BUS_URL: set the same on all of them",
  },
  {
    when: (read) => read.busUrl !== "memory:" && !isRedisUrl(read.busUrl),
    message:
      "SERVICE_BUS_URL must be `memory:`, or `redis://` or `rediss://` with a host and, if needed, user, password, port, a database number as the path and `?prefix=` of letters, digits, `.`, `_`, `-` and `:`",
  },
];

/** Whether a URL uses https or a loopback host, so that others cannot read the traffic, and contains no user or password. */
export function isProtectedUrl(address: string): boolean {
  const { protocol, hostname, username, password } = new URL(address);
  return (protocol === "https:" || isLoopback(hostname)) && username === "" && password === "";
}

/** Whether an issuer is one of Entra ID for the people of any tenant. The id is that of the tenant of personal accounts. */
function isOpenEntra(issuer: string): boolean {
  const { hostname, pathname } = new URL(issuer);
  const tenant = pathname.split("/")[1]?.toLowerCase() ?? "";
  return (
    /(^|\.)(microsoftonline\.(com|us|cn|de)|microsoft\.com|windows\.net|chinacloudapi\.cn)$/.test(hostname) &&
    ["common", "organizations", "consumers", "9188040d-6c67-4c5b-b112-36a304b66dad"].includes(tenant)
  );
}

/** Whether a URL names a Redis server, with nothing that the bus would ignore. */
function isRedisUrl(address: string): boolean {
  const { protocol, hostname, pathname, searchParams, hash } = new URL(address);
  const others = [...searchParams].filter(
    ([name, value]) => name !== "prefix" || !/^[\w.:-]{1,100}$/.test(value),
  );
  return (
    ["redis:", "rediss:"].includes(protocol) &&
    hostname !== "" &&
    /^\/?\d{0,4}$/.test(pathname) &&
    others.length === 0 &&
    hash === ""
  );
}

const isIssuer = (address: string) => !/[?#]|\/\.well-known(\/|$)/.test(new URL(address).href);

const isOrigin = (address: string) => new URL(address).href === `${new URL(address).origin}/`;

/** Thrown when a check for an invalid combination reads a setting that could not be parsed. */
class Unparsable extends Error {}

function unparsable(): never {
  throw new Unparsable();
}

/**
 * Whether the condition for an invalid combination of settings holds. Returns false if the condition reads a setting that could not be
 * parsed.
 */
function applies(condition: () => boolean): boolean {
  try {
    return condition();
  } catch (error) {
    if (error instanceof Unparsable) return false;
    throw error;
  }
}

/** What stands for a secret. */
const MASK = "••••••••";

/** Returns the text of a setting as administrators see it: a secret, the user of a URL and its query are masked. */
export function shownText({ secret }: Pick<Setting<unknown>, "secret">, given: string): string {
  if (secret === true) return MASK;
  const address = URL.parse(given);
  if (address === null || (address.protocol === "s3:" && address.username + address.password === ""))
    return given;
  if (address.username + address.password + address.search === "") return given;
  if (address.username + address.password !== "") address.username = MASK;
  address.password = "";
  if (address.search !== "") address.search = MASK;
  return address.href.replaceAll(encodeURIComponent(MASK), MASK);
}

/** The name of the variable that names the file with the text of a secret setting. */
export const fileVariableOf = ({ variable }: Pick<Setting<unknown>, "variable">) => `${variable}_FILE`;

/**
 * Returns the text of a setting and the name of the variable that it comes from: its own, or that of a file for a secret. A line break at the end
 * of the file is no part of the text. Returns null if neither is set. @throws RangeError with a mistake for the operator, without the
 * name of the file: it could be the secret itself.
 */
function givenText(
  setting: Setting<unknown>,
  environment: Record<string, string | undefined>,
): { source: string; given: string } | null {
  const { variable, secret } = setting;
  const own = environment[variable] || null;
  const source = fileVariableOf(setting);
  const file = secret === true ? environment[source] || null : null;
  if (file === null) return own === null ? null : { source: variable, given: own };
  if (own !== null) throw new RangeError(`${variable} and ${source} are both set: remove one of them`);
  let text: string;
  try {
    text = readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    throw new RangeError(
      `${source} names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`,
    );
  }
  if (text === "") throw new RangeError(`${source} names a file that is empty`);
  return { source: `the file of ${source}`, given: text };
}

/** Parses and validates the environment variables; an empty one counts as unset. @throws ConfigError with all mistakes. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const mistakes: string[] = [];
  const unparsed = new Set<string>();
  const texts: Record<string, string> = {};
  const entries = Object.entries(SETTINGS).map(([name, each]) => {
    let found: ReturnType<typeof givenText>;
    try {
      found = givenText(each, environment);
    } catch (error) {
      mistakes.push((error as Error).message);
      unparsed.add(name);
      return [name, each.fallback];
    }
    if (found === null) return [name, each.fallback];
    const { source, given } = found;
    texts[name] = shownText(each, given);
    try {
      return [name, each.kind.read(given)];
    } catch (error) {
      const holds = each.secret === true ? "its value (not shown)" : `\`${given}\``;
      // Some types say what is wrong. Other errors, such as those of the JSON parser, are not for people.
      const why = error instanceof RangeError && error.message !== "" ? `. Here, ${error.message}` : "";
      mistakes.push(`${source} holds ${holds}; it may hold ${each.kind.may}${why}`);
      unparsed.add(name);
      return [name, each.fallback];
    }
  });
  const read = Object.fromEntries(entries) as Read;
  if (environment.NODE_TLS_REJECT_UNAUTHORIZED === "0")
    mistakes.push(
      "NODE_TLS_REJECT_UNAUTHORIZED must not be 0: anyone could pose as an upstream; name your certificate authority in NODE_EXTRA_CA_CERTS",
    );
  const known = new Proxy(read, {
    get: (values, name: keyof Read) => (unparsed.has(name) ? unparsable() : values[name]),
  });
  mistakes.push(...IMPOSSIBLE.filter((each) => applies(() => each.when(known))).map((each) => each.message));
  const s3 = read.blobsUrl?.startsWith("s3:") ? readS3(read.blobsUrl, environment, mistakes) : null;
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const dev = read.authMode === "dev";
  return {
    ...read,
    host: read.host ?? (dev ? "127.0.0.1" : "0.0.0.0"),
    adminEmails: (read.adminEmails.length === 0 && dev ? ["dev@example.com"] : read.adminEmails).map((each) =>
      each.toLowerCase(),
    ),
    databaseUrl: read.databaseUrl ?? `sqlite:${path.join(read.dataDir, "easel.db")}`,
    blobsUrl: read.blobsUrl ?? `file:${path.join(read.dataDir, "blobs")}`,
    s3,
    given: texts,
  };
}

/** Returns the names of environment variables that start with `SERVICE_` but are no settings, such as misspelled ones. */
export function unknownVariables(environment: Record<string, string | undefined>): string[] {
  const known = new Set(
    Object.values<Setting<unknown>>(SETTINGS).flatMap((each) =>
      each.secret === true ? [each.variable, fileVariableOf(each)] : [each.variable],
    ),
  );
  return Object.keys(environment).filter((name) => name.startsWith("SERVICE_") && !known.has(name));
}

/**
 * Returns the secrets that sign cookies. If the settings contain none, which is valid only in dev mode, generates a secret and stores it in
 * the data directory.
 */
export async function sessionSecrets({ sessionSecret, dataDir }: Config): Promise<string[]> {
  if (sessionSecret !== null) return sessionSecret;
  const file = path.join(dataDir, "session-secret");
  const kept = (await read(file)) ?? (await generate(file));
  if (kept.length < 32) throw new Error(`${file} holds no secret: remove it, and a new one is generated`);
  return [kept];
}

const read = (file: string) =>
  readFile(file, "utf8").catch((error) => {
    if (error.code !== "ENOENT") throw error;
  });

/** Generates a secret and stores it in a file. Processes that do this at the same time all return the same secret. */
async function generate(file: string): Promise<string> {
  await makeDirectory(path.dirname(file));
  const draft = `${file}.${newId()}`;
  await writeFile(draft, randomBytes(32).toString("base64url"), { mode: 0o600 });
  await link(draft, file).catch((error) => {
    if (error.code !== "EEXIST") throw error;
  });
  await rm(draft);
  return readFile(file, "utf8");
}
