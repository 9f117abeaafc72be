import { SetupError } from "../../../config/setting-types.ts";
import type { Bus } from "../bus.ts";
import { redis } from "./redis.ts";
import type { Address, Client } from "./redis-link.ts";

/** The log of the service, as far as the bus uses it. */
interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(fields: { err: unknown }, message: string): void;
}

const LEAST_VERSION = 7;

/** Reads the address of a server from SERVICE_BUS_URL: `redis[s]://[user][:password]@host[:port][/database number]`. */
export function addressOf(url: string): Address {
  const { protocol, hostname, port, username, password, pathname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const place = { host, port: port === "" ? 6379 : Number(port) };
  return {
    // The certificate of the server is verified, which is the default of Node.
    socket: protocol === "rediss:" ? { ...place, tls: true } : place,
    ...(username !== "" && { username: decodeURIComponent(username) }),
    ...(password !== "" && { password: decodeURIComponent(password) }),
    database: Number(pathname.slice(1)),
  };
}

/** Returns what all keys and channels of an instance begin with: its id, unless SERVICE_BUS_URL names a prefix (`?prefix=`). */
export const prefixOf = (url: string, instanceId: string): string =>
  `easel:${new URL(url).searchParams.get("prefix") ?? instanceId}:`;

/**
 * Checks what the command INFO says of a server. Returns warnings for the operator.
 *
 * @throws SetupError if the service cannot use the server
 */
export function checkServer(info: string): string[] {
  const fact = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, "m").exec(info)?.[1] ?? "";
  const version = fact("redis_version");
  if (Number.parseInt(version, 10) < LEAST_VERSION)
    throw new SetupError(
      `SERVICE_BUS_URL names Redis ${version}: Redis ${LEAST_VERSION} or Valkey is needed`,
    );
  if (fact("cluster_enabled") === "1")
    throw new SetupError(
      "SERVICE_BUS_URL names a node of a Redis Cluster, which is not supported: name a single server, with a replica for failover if you like",
    );
  if (["slave", "replica"].includes(fact("role")))
    throw new SetupError("SERVICE_BUS_URL names a replica, which cannot be written to: name the primary");
  const policy = fact("maxmemory_policy");
  if (policy === "noeviction" || policy === "") return [];
  return [
    `the Redis server of SERVICE_BUS_URL may evict keys (maxmemory-policy ${policy}): rate limits, the limit of connections and presence would then be wrong; set maxmemory-policy noeviction`,
  ];
}

/** Explains to the operator why the first connection has failed. */
function explain(error: unknown, { socket }: Address): SetupError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : (error as Error);
  if (cause instanceof SetupError) return cause;
  const { message, code } = cause as NodeJS.ErrnoException;
  const { host, port } = socket as { host: string; port: number };
  const at = `SERVICE_BUS_URL: the Redis server at ${host}:${port}`;
  if (/^(WRONGPASS|NOAUTH)\b|without any password configured/.test(message))
    return new SetupError(`${at} refuses the user or the password of the URL (${message})`);
  if (/^NOPERM\b/.test(message))
    return new SetupError(`${at} lets the user of the URL run too few commands (${message})`);
  if (/\bHELLO\b|^NOPROTO\b/.test(message))
    return new SetupError(`${at} is too old: Redis ${LEAST_VERSION} or Valkey is needed (${message})`);
  if (/certificate|self-signed|CERT_|ERR_TLS/.test(`${message} ${code}`))
    return new SetupError(
      `${at} has a certificate that is not valid (${message}): name your certificate authority in NODE_EXTRA_CA_CERTS`,
    );
  if (/out of range/.test(message))
    return new SetupError(`${at} has no database of the number in the URL (${message})`);
  return new SetupError(`${at} does not respond (${message || code}): start it, or correct the address`);
}

/**
 * Opens the bus on the server that SERVICE_BUS_URL names. Warns of a server that may evict keys.
 *
 * @throws SetupError if the server cannot be reached or used
 */
export async function openRedis(url: string, instanceId: string, log: Log): Promise<Bus> {
  const address = addressOf(url);
  const check = async (client: Client) => {
    for (const warning of checkServer(await client.info())) log.warn(warning);
  };
  const events = {
    onAway: (err: unknown) => log.error({ err }, "the bus is unavailable: requests that need it get 503"),
    onBack: () => log.info("the bus is available again"),
    onError: (err: unknown) => log.error({ err }, "a message of the bus was not handled"),
  };
  try {
    return await redis(address, prefixOf(url, instanceId), events, check);
  } catch (error) {
    throw explain(error, address);
  }
}
