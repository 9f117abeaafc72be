import { readlinkSync } from "node:fs";
import os from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import manifest from "../../package.json" with { type: "json" };
import { SetupError } from "../config/setting-types.ts";
import type { Secrets } from "../crypto/secrets.ts";
import { LEASE_MS } from "../drivers/bus/bus.ts";
import { type Db, type RunningNode, type Schema, type Sql, sql, type Tables } from "../drivers/db/db.ts";
import { keepLease } from "./lease.ts";

/** The time between two looks at nodes that may have ended, in milliseconds. */
const RETRY_MS = 200;

/** A process that shares the database with others. */
export interface Node {
  /** The id of its lease. */
  id: string;
  version: string;
  /** The name of the last migration that it knows. */
  schema: string;
  host: string;
  port: number;
  /** Its namespace of process ids and its process id. */
  process: string;
  /** Ids of the keys, of which the first signs or encrypts and all verify or decrypt. The keys themselves are not stored. */
  signingKeys: readonly string[];
  encryptionKeys: readonly string[];
  /** Whether several nodes can share its bus. */
  sharedBus: boolean;
  /** The kind of the blob store, such as `file:`. */
  blobs: string;
}

/** Describes this process. */
export function describeNode(
  id: string,
  port: number,
  { signer, sealer }: Pick<Secrets, "signer" | "sealer">,
  { sharedBus, blobsUrl, schema }: { sharedBus: boolean; blobsUrl: string; schema: string },
): Node {
  return {
    id,
    version: manifest.version,
    schema,
    host: os.hostname(),
    port,
    process: processName(),
    signingKeys: signer.keyIds,
    encryptionKeys: sealer.keyIds,
    sharedBus,
    blobs: blobsUrl.slice(0, blobsUrl.indexOf(":") + 1),
  };
}

const processName = () => `${pidNamespace()} ${process.pid}`;

/** Identifies the namespace in which process ids count: containers have their own, also if they have the name of their host. */
function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/** Whether a node has certainly ended: its process was on this machine, and is there no longer. */
function hasEnded(node: Node, self: Pick<Node, "host" | "process">): boolean {
  const [namespace, pid] = node.process.split(" ");
  if (node.host !== self.host || self.process.split(" ")[0] !== namespace) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/**
 * Returns the statement that adds a node, or updates how far its clock is ahead and how many realtime connections it has. Its lease must be
 * in the database.
 */
export const keepNode = (node: Node, skewMs: number, connections: number): Sql => sql`
  insert into nodes (id, version, schema, started_at, host, port, process, signing_keys, encryption_keys, shared_bus, blobs, skew_ms, connections)
  select cast(${node.id} as text), cast(${node.version} as text), cast(${node.schema} as text), now, cast(${node.host} as text), cast(${node.port} as integer),
    cast(${node.process} as text), cast(${node.signingKeys.join(" ")} as text), cast(${node.encryptionKeys.join(" ")} as text),
    cast(${Number(node.sharedBus)} as integer), cast(${node.blobs} as text), cast(${skewMs} as bigint), cast(${connections} as integer)
  from database_clock where true
  on conflict (id) do update set skew_ms = excluded.skew_ms, connections = excluded.connections`;

/** A live node, and the time until which it is live unless it renews its lease. */
type Live = Node & { until: number };

async function liveNodes(tables: Pick<Tables, "all">): Promise<Live[]> {
  const rows = await tables.all<Record<string, string | number>>`
    select nodes.*, leases.leased_until from nodes join leases on leases.id = nodes.id, database_clock
    where leases.leased_until > now order by nodes.started_at, nodes.id`;
  const ids = (text: unknown) => String(text).split(" ").filter(Boolean);
  return rows.map((row) => ({
    id: String(row.id),
    version: String(row.version),
    schema: String(row.schema),
    host: String(row.host),
    port: Number(row.port),
    process: String(row.process),
    signingKeys: ids(row.signing_keys),
    encryptionKeys: ids(row.encryption_keys),
    sharedBus: Number(row.shared_bus) === 1,
    blobs: String(row.blobs),
    until: Number(row.leased_until),
  }));
}

/** A live node as administrators see it. Times are epoch milliseconds. */
export interface NodeInfo {
  id: string;
  version: string;
  startedAt: number;
  host: string;
  /** How far its clock is ahead of that of the database. */
  skewMs: number;
  /** Its open realtime connections when it last renewed its lease. */
  connections: number;
}

/** Lists the live nodes of a database that several can use, the oldest first. SQLite has none. */
export async function listNodes({ db }: { db: Db }): Promise<NodeInfo[]> {
  const rows = await db.all<NodeInfo>`
    select nodes.id, version, started_at as "startedAt", host, skew_ms as "skewMs", connections
    from nodes where id in (select id from live_leases) order by started_at, nodes.id`;
  return rows.map((row) => ({
    ...row,
    startedAt: Number(row.startedAt),
    skewMs: Number(row.skewMs),
    connections: Number(row.connections),
  }));
}

const placeOf = ({ host, port, version }: Node) => `the node on ${host}, port ${port} (version ${version})`;

/** Reads the nodes that run while the schema may be migrated. A database from before `nodes` existed has none. */
export async function runningNodes(tables: Pick<Tables, "all">): Promise<RunningNode[]> {
  const [exists] = await tables.all`select 1 as found from migrations where name = '0043_nodes.sql'`;
  if (exists === undefined) return [];
  const self = { host: os.hostname(), process: processName() };
  const nodes = (await liveNodes(tables)).filter((node) => !hasEnded(node, self));
  return nodes.map((node) => ({ place: placeOf(node), schema: node.schema }));
}

/** Whether two nodes accept what the other one signs or encrypts, so that rotations need not stop all nodes at once. */
const agree = (one: readonly string[], other: readonly string[]) =>
  one[0] === other[0] ||
  (one[0] !== undefined && other[0] !== undefined && one.includes(other[0]) && other.includes(one[0]));

/** Reasons why a node cannot run beside another one, with messages that say what to do. */
const CONFLICTS: {
  between: (self: Node, other: Node) => boolean;
  message: (other: string) => string;
  /** Whether the other one may be about to stop, because this one replaces it. */
  isReplaced?: true;
}[] = [
  {
    between: (self, other) => !agree(self.signingKeys, other.signingKeys),
    message: (other) =>
      `SERVICE_SESSION_SECRET differs from that of ${other}: each would refuse the cookies of the other. Set the same secrets on all ` +
      "nodes of the database. To rotate, let every node first accept the new secret (`old,new`), then sign with it (`new,old`), then drop the old one.",
  },
  {
    between: (self, other) => !agree(self.encryptionKeys, other.encryptionKeys),
    message: (other) =>
      `SERVICE_ENCRYPTION_KEY differs from that of ${other}: each would fail to decrypt what the other stores. Set the same keys on all ` +
      "nodes of the database. To rotate, let every node first accept the new key (`old,new`), then encrypt with it (`new,old`). To set the first key, stop the other nodes.",
  },
  {
    between: (self, other) => !self.sharedBus || !other.sharedBus,
    message: (other) =>
      `SERVICE_BUS_URL is \`memory:\` here or on ${other}, which uses the same database: pages on one node would not see those on the ` +
      "other, and every limit would count on each node apart. Set SERVICE_BUS_URL to the same Redis or Valkey on all nodes, or stop the other node first.",
    isReplaced: true,
  },
];

/** Returns the warnings about a node that runs beside others. */
const warningsBeside = (self: Node, others: Node[]): string[] =>
  others
    .filter((other) => other.host !== self.host && [self.blobs, other.blobs].includes("file:"))
    .map(
      (other) =>
        `the blobs are files, and ${placeOf(other)} is another machine: both must have the same directory in SERVICE_BLOBS_URL, on a shared ` +
        "file system, or pages and files are missing on one of them",
    );

/**
 * Adds this process to the nodes of the database, under a new lease. Waits for a conflicting node that may have been killed until its lease
 * has expired, and for up to `handOverMs` for one that this one replaces. Returns the number of live nodes, this one included, and warnings for
 * the operator.
 *
 * @throws SetupError if it cannot run beside a live node, because of its keys or its bus. Nothing has been stored then.
 */
export async function joinNodes(
  schema: Schema,
  self: Node,
  waiting: (message: string) => void,
  handOverMs = 0,
): Promise<{ nodes: number; warnings: string[] }> {
  /** The ends of the leases of the conflicting nodes, when they were first seen. */
  const seen = new Map<string, number>();
  for (let waited = 0; ; waited += RETRY_MS) {
    let others: Live[] = [];
    let conflict: { other: Live; message: string; longest: number } | undefined;
    // One node at a time, so that of two that start at the same moment the second sees the first.
    await schema.exclusively(async (tables) => {
      others = [];
      for (const node of await liveNodes(tables)) {
        if (hasEnded(node, self)) await tables.run`delete from leases where id = ${node.id}`;
        else others.push(node);
      }
      conflict = others
        .flatMap((other) =>
          CONFLICTS.filter(({ between }) => between(self, other)).map(({ message, isReplaced }) => ({
            other,
            message: message(placeOf(other)),
            longest: isReplaced ? handOverMs : 0,
          })),
        )
        .at(0);
      if (conflict !== undefined) return;
      await tables.run(...keepLease(self.id));
      await tables.run(...keepNode(self, 0, 0));
    });
    if (conflict === undefined) return { nodes: others.length + 1, warnings: warningsBeside(self, others) };
    const { other, message, longest } = conflict;
    const hasRenewed = other.until > (seen.get(other.id) ?? other.until);
    if (waited >= longest && (hasRenewed || waited > 2 * LEASE_MS))
      throw new SetupError(`${message}\nThe service has not started.`);
    if (waited === 0)
      waiting(`waiting for up to ${Math.max(LEASE_MS, longest) / 1000} s, in case it ends: ${message}`);
    seen.set(other.id, other.until);
    await sleep(RETRY_MS);
  }
}
