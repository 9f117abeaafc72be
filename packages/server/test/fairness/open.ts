import { spawn } from "node:child_process";
import path from "node:path";
import { text } from "node:stream/consumers";
import { startAiProvider } from "../support/ai-provider.ts";
import { type Process, startProcess } from "../support/process.ts";
import { atEnd, type Scope, temporaryDirectory } from "../support/service.ts";
import { startUpstream } from "../support/upstream.ts";
import { openSite, type Site } from "./site.ts";
import { PRELOAD } from "./turns.ts";

/** The outcomes of each attack: how many requests got which status. 0 stands for a connection that ended without a response. */
export type Outcomes = Record<string, Record<string, number>>;

/** A service under attack. */
export interface Fairness {
  service: Process;
  /** The data directory of the service. */
  directory: string;
  /** Creates the people and canvases of a run, as `openSite` does. */
  populate(records?: number): Promise<Site>;
  /** Starts attacks on a site in a process of their own. The returned function ends them and returns their outcomes. */
  attack(site: Site, names: readonly string[]): () => Promise<Outcomes>;
}

const SETTINGS = {
  SERVICE_RATELIMIT_ENABLED: "on",
  SERVICE_REALTIME_CONNECTIONS_PER_PERSON: "5",
  SERVICE_AI_MODELS: "m",
  SERVICE_AI_PRICES: '{"m":{"input":3,"output":15,"cacheWrite":3.75,"cacheRead":0.3}}',
  SERVICE_LOG_LEVEL: "fatal",
};

/** Rate limits of ten times the default ones: the victim is measured often, and the attacks get as much. */
export const HIGH_RATES = {
  SERVICE_RATELIMIT_CANVAS_API_PER_MIN: "1200",
  SERVICE_RATELIMIT_MANAGEMENT_PER_MIN: "2400",
  SERVICE_RATELIMIT_LOGIN_PER_MIN: "200",
  SERVICE_RATELIMIT_AI_PER_MIN: "100",
};

/** Starts a service with stand-ins for an AI provider and an external API. `rates` are the settings of its rate limits. */
export async function openFairness(
  scope: Scope,
  rates: Record<string, string> = HIGH_RATES,
): Promise<Fairness> {
  const directory = await temporaryDirectory(scope);
  const upstream = await startUpstream(scope);
  const provider = await startAiProvider(scope);
  const service = await startProcess(scope, directory, {
    ...SETTINGS,
    ...rates,
    ...upstream.settings,
    ...provider.settings,
    ...PRELOAD,
    NODE_EXTRA_CA_CERTS: upstream.ca,
  });
  const populate = (records?: number) => openSite(service.base, upstream.origin, records);
  const attack: Fairness["attack"] = (site, names) => {
    const program = path.join(import.meta.dirname, "attacker.ts");
    // A lower priority than that of the service, because attackers do not use its processors.
    const child = spawn("nice", ["-n", "10", process.execPath, program, JSON.stringify(site), ...names], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    atEnd(scope, async () => void child.kill("SIGKILL"));
    return async () => {
      child.stdin.end();
      return JSON.parse(await text(child.stdout)) as Outcomes;
    };
  };
  return { service, directory, populate, attack };
}
