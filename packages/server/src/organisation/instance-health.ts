import os from "node:os";
import type { HealthNode, HealthPart, InstanceHealth } from "@easel/protocol/management";
import manifest from "../../package.json" with { type: "json" };
import { isPostgres } from "../config/config.ts";
import { spaceOf } from "../disk/disk-space.ts";
import type { Env } from "../env.ts";
import { STORES } from "../http/health.ts";
import { lastBackupAt } from "../instance/last-backup.ts";
import { listNodes } from "../instance/nodes.ts";
import { priceOf } from "./ai/prices.ts";
import { listProfiles, openHeaders } from "./connections/profiles.ts";
import { readSettings } from "./instance-settings.ts";

/** The time within which a part must answer, in milliseconds. */
const PATIENCE_MS = 2_000;

/** Thrown by a part that answers, but is not as it should be. `message` is for administrators. */
class Unhealthy extends Error {}

/** A part that is asked. `ask` returns what it is, in words. */
interface Part {
  name: HealthPart["name"];
  ask(env: Env, signal: AbortSignal): Promise<string>;
}

const kindOf = (address: string) => address.slice(0, address.indexOf(":"));

/** What the stores are, by their settings. */
const STORE_DETAILS: Record<string, (env: Env) => string> = {
  database: ({ config }) => (isPostgres(config.databaseUrl) ? "PostgreSQL" : "SQLite"),
  blobs: ({ config }) => (kindOf(config.blobsUrl) === "s3" ? "A bucket of S3" : "A directory"),
  bus: ({ config }) => (config.busUrl === "memory:" ? "In the memory of this process" : "Redis or Valkey"),
};

const PARTS: readonly Part[] = [
  ...STORES.map(({ name, ask }) => ({
    name: name as Part["name"],
    async ask(env: Env) {
      await ask(env);
      return STORE_DETAILS[name]?.(env) ?? "";
    },
  })),
  {
    name: "signIn",
    async ask({ config }, signal) {
      if (config.authMode === "dev") return "Dev mode: anyone may sign in as anyone";
      if (config.authMode === "proxy") return "A proxy in front of the service signs people in";
      const metadata = `${(config.oidcIssuer ?? "").replace(/\/$/, "")}/.well-known/openid-configuration`;
      const response = await fetch(metadata, { signal });
      await response.body?.cancel();
      if (!response.ok)
        throw new Unhealthy(`The OpenID Connect provider answers with status ${response.status}`);
      return "The OpenID Connect provider answers";
    },
  },
  {
    name: "ai",
    async ask(env) {
      if (env.ai === null) return "Off: SERVICE_AI_API_KEY is not set";
      const models = (await readSettings(env))["ai.models"];
      const priced = models.filter((model) => priceOf(model, 0, env.config) !== null);
      if (priced.length === 0) throw new Unhealthy("No model with a price is allowed, so pages can use none");
      return `${env.config.aiProvider}, ${priced.length === 1 ? "1 model" : `${priced.length} models`}; no request was sent`;
    },
  },
  {
    name: "connections",
    async ask(env) {
      const profiles = await listProfiles(env);
      const closed = profiles.filter(
        (profile) => profile.sealed !== null && openHeaders(profile.sealed, profile, env) === null,
      );
      if (closed.length > 0)
        throw new Unhealthy(
          `SERVICE_ENCRYPTION_KEY does not open the headers of ${closed.map(({ name }) => name).join(", ")}`,
        );
      return profiles.length === 1 ? "1 profile" : `${profiles.length} profiles`;
    },
  },
];

/** Says in words why a part has failed. What drivers say may contain addresses and is for the log only. */
function reasonOf(error: unknown): string {
  if (error instanceof Unhealthy) return error.message;
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const known = [code, cause?.code].find(
    (each) => typeof each === "string" && /^[A-Z0-9_]{2,40}$/.test(each),
  );
  return `It fails${known === undefined ? "" : ` (${known})`}; the log has the reason`;
}

/** Asks a part, and waits for it no longer than two seconds. */
async function asked({ name, ask }: Part, env: Env, patienceMs: number): Promise<HealthPart> {
  const start = performance.now();
  const ended = (ok: boolean, detail: string) => ({
    name,
    ok,
    ms: Math.round(performance.now() - start),
    detail,
  });
  const late = AbortSignal.timeout(patienceMs);
  const patience = new Promise<never>((_resolve, reject) => {
    late.addEventListener("abort", () => reject(late.reason), { once: true });
  });
  try {
    return ended(true, await Promise.race([ask(env, late), patience]));
  } catch (error) {
    if (late.aborted) return ended(false, `It has not answered within ${patienceMs / 1000} s`);
    if (!(error instanceof Unhealthy)) env.log.warn({ err: error }, `the part ${name} is not well`);
    return ended(false, reasonOf(error));
  }
}

/** When this process started, in epoch milliseconds. */
const startedAt = () => Math.round(performance.timeOrigin);

/** Lists the live nodes. The only process of an instance on SQLite is in no table. */
async function nodesOf(env: Env): Promise<HealthNode[]> {
  const { id } = env.lease;
  const connections = env.open.realtimeConnections;
  const listed = isPostgres(env.config.databaseUrl) ? await listNodes(env) : [];
  const nodes = listed.map((node) =>
    node.id === id ? { ...node, connections, current: true } : { ...node, current: false },
  );
  if (nodes.some(({ current }) => current)) return nodes;
  const self = { id, version: manifest.version, startedAt: startedAt(), host: os.hostname(), skewMs: 0 };
  return [...nodes, { ...self, connections, current: true }];
}

async function diskOf({ config }: Env): Promise<InstanceHealth["disk"]> {
  try {
    const space = await spaceOf(config.dataDir, config.diskReserve);
    return space && { free: space.free, total: space.total };
  } catch {
    return null;
  }
}

/** Asks every part of the service, each for two seconds at most. If the database does not answer, what is in it is left out. */
export async function instanceHealth(env: Env, patienceMs = PATIENCE_MS): Promise<InstanceHealth> {
  const parts = Promise.all(PARTS.map((part) => asked(part, env, patienceMs)));
  const stored = asked(
    {
      name: "database",
      async ask() {
        const [nodes, backupAt, [row]] = await Promise.all([
          nodesOf(env),
          lastBackupAt(env.db),
          env.db.all<{ migration: string | null; swept: number | null }>`
            select (select max(name) from migrations) as migration,
              (select finished_at from jobs where name = 'sweep') as swept`,
        ]);
        found = {
          nodes,
          migrations: row?.migration ?? "",
          lastSweepAt: row?.swept == null ? null : Number(row.swept),
          lastBackupAt: backupAt,
        };
        return "";
      },
    },
    env,
    patienceMs,
  );
  let found: Pick<InstanceHealth, "nodes" | "migrations" | "lastSweepAt" | "lastBackupAt"> = {
    nodes: [],
    migrations: "",
    lastSweepAt: null,
    lastBackupAt: null,
  };
  await stored;
  return {
    version: manifest.version,
    startedAt: startedAt(),
    ...found,
    parts: await parts,
    disk: await diskOf(env),
  };
}
