import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { isLoopback } from "../../../config/config.ts";
import { SetupError } from "../../../config/setting-types.ts";

/** The place of a PostgreSQL server and how connections to it are protected, as options of the package `postgres`. */
export interface ServerOptions {
  /** SERVICE_DATABASE_URL without the parameters that this file reads. */
  url: string;
  /** The list of host names or IP addresses of the server, or the directory of its Unix socket. */
  host: string;
  port: number;
  /** Options of TLS; false for none. */
  ssl: ConnectionOptions | false;
}

const DEFAULT_PORT = 5432;

/** The values of `sslmode`, in the meaning of libpq. `no-verify` is a name of node-postgres. */
const MODES = ["disable", "require", "no-verify", "verify-ca", "verify-full"] as const;
type Mode = (typeof MODES)[number];

/** The parameters of SERVICE_DATABASE_URL that the package `postgres` reads in another way, or would pass on to the server. */
const PARAMETERS = ["host", "sslmode", "sslrootcert", "sslcert", "sslkey", "channel_binding"] as const;

/**
 * Reads SERVICE_DATABASE_URL. Without `sslmode`, the server must prove by its certificate that it has the name in the URL, unless it is on this
 * machine. @throws SetupError if a parameter is invalid or a file cannot be read.
 */
export function serverOptions(databaseUrl: string): ServerOptions {
  const url = new URL(databaseUrl);
  const given = Object.fromEntries(PARAMETERS.map((name) => [name, url.searchParams.get(name)]));
  for (const name of PARAMETERS) url.searchParams.delete(name);
  if (url.searchParams.has("ssl")) throw mistake("has the parameter `ssl`; use `sslmode`");
  const port = Number(url.port || DEFAULT_PORT);
  const name = given.host ?? decodeURIComponent(url.hostname);
  if (name.startsWith("/")) return { url: url.href, host: name, port, ssl: false };

  const hosts = (name || "localhost").split(",").map((host) => host.replace(/^\[(.*)\]$/, "$1"));
  const isProtected = given.sslrootcert === null && hosts.every(isLoopback);
  const asked = modeOf(given.sslmode ?? (isProtected ? "disable" : "verify-full"));
  // Hosted servers name it in their URLs. The package has no channel binding; a verified certificate protects from the same attack.
  const mode = given.channel_binding === "require" ? "verify-full" : asked;
  return {
    url: url.href,
    // The package takes lists, too, but its types do not say so. It would split a text at the colons of an IPv6 address.
    host: hosts as unknown as string,
    port: hosts.map(() => port) as unknown as number,
    ssl: mode === "disable" ? false : tlsOptions(mode, hosts, given),
  };
}

/** Variables of the environment by their names. */
export type Environment = Record<string, string | undefined>;

/** The file of certificate authorities on Debian and many other systems. Programs of PostgreSQL before 16 do not find it by themselves. */
const SYSTEM_CAS = "/etc/ssl/certs/ca-certificates.crt";

/**
 * Returns an environment with which the programs of PostgreSQL connect as the service does. It holds the password, which would be seen by other
 * users in a command line.
 */
export function programEnvironment(databaseUrl: string, environment: Environment): Environment {
  const { host, port, ssl } = serverOptions(databaseUrl);
  const { username, password, pathname, searchParams } = new URL(databaseUrl);
  const mode = searchParams.get("sslmode") ?? "verify-full";
  const cas = searchParams.get("sslrootcert") ?? environment.NODE_EXTRA_CA_CERTS;
  const verifies = mode.startsWith("verify");
  const given = {
    PGHOST: [host].flat().join(","),
    PGPORT: [port].flat().join(","),
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
    PGSSLMODE: ssl === false ? "disable" : mode === "no-verify" ? "require" : mode,
    PGSSLROOTCERT:
      ssl === false ? "" : (cas ?? (verifies ? (existsSync(SYSTEM_CAS) ? SYSTEM_CAS : "system") : "")),
    PGSSLCERT: searchParams.get("sslcert") ?? "",
    PGSSLKEY: searchParams.get("sslkey") ?? "",
    PGAPPNAME: "easel backup",
    PGCONNECT_TIMEOUT: "10",
  };
  const own = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
  return { ...environment, ...own, LC_ALL: "C" };
}

function modeOf(given: string): Mode {
  const mode = MODES.find((each) => each === given);
  if (mode === undefined) throw mistake(`has \`sslmode=${given}\`; it may be ${MODES.join(", ")}`);
  return mode;
}

function tlsOptions(
  mode: Mode,
  hosts: string[],
  { sslrootcert = null, sslcert = null, sslkey = null }: Record<string, string | null>,
): ConnectionOptions {
  const [host = ""] = hosts;
  const isOfCa = mode === "verify-ca" || (mode === "require" && sslrootcert !== null);
  if (mode === "verify-full" && hosts.length > 1 && hosts.some(isIP))
    throw mistake("lists several servers, so it must name them instead of giving IP addresses");
  return {
    // Without a host, the package and Node would compare the certificate of an IP address with the name `localhost`.
    ...(isIP(host) !== 0 && { host }),
    rejectUnauthorized: isOfCa || mode === "verify-full",
    ...(isOfCa && { checkServerIdentity: () => undefined }),
    ...(sslrootcert !== null && sslrootcert !== "system" && { ca: read("sslrootcert", sslrootcert) }),
    ...(sslcert !== null && { cert: read("sslcert", sslcert) }),
    ...(sslkey !== null && { key: read("sslkey", sslkey) }),
  };
}

function read(parameter: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw mistake(`has \`${parameter}=${file}\`, which cannot be read: ${(error as Error).message}`);
  }
}

const mistake = (what: string) => new SetupError(`SERVICE_DATABASE_URL ${what}`);

/** Matches the error codes of OpenSSL and Node for a handshake that failed, such as for a certificate that is not trusted. */
const HANDSHAKE =
  /^(UNABLE_TO_\w+|CERT_\w+|CRL_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|ERR_(TLS|SSL)_\w+)$/;
const OTHER_NAME = /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/;
/** Matches Node's message for a connection that the server closed during the handshake. PostgreSQL does so if its TLS is off. */
const CLOSED = /before secure TLS connection was established/;

/** Whether an error means that no connection was made because its TLS handshake failed. */
export const isHandshakeError = (error: unknown): boolean =>
  HANDSHAKE.test(String((error as { code?: unknown } | null)?.code ?? ""));

/** Converts an error of a TLS handshake to a `SetupError` with advice. Returns any other error as it is. */
export function explainedHandshake(error: unknown, { host }: Pick<ServerOptions, "host">): unknown {
  const { code = "", message } = error as Error & { code?: string };
  const server = `the PostgreSQL server ${[host].flat().join(", ")}`;
  if (CLOSED.test(message))
    return new SetupError(
      `TLS with ${server} failed: it closed the connection, so its TLS may be off. Turn it on there (\`ssl = on\`), or add \`sslmode=disable\` to SERVICE_DATABASE_URL if nobody else reaches the network between.`,
    );
  if (!isHandshakeError(error)) return error;
  const advice = OTHER_NAME.test(code)
    ? "Connect to a name that its certificate has, or add `sslmode=verify-ca` to SERVICE_DATABASE_URL if every server of its certificate authority may be the database."
    : "Name the file of its certificate authority in SERVICE_DATABASE_URL with `sslrootcert=/path/ca.pem`, or have the server use a certificate that this machine trusts.";
  return new SetupError(
    `${server[0]?.toUpperCase()}${server.slice(1)} is not trusted: ${message}. ${advice}`,
  );
}
