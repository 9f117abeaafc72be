import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { stage } from "@easel/conformance/fixture";
import { connect } from "@easel/conformance/realtime/socket";
import { devTarget } from "@easel/conformance/target";
import type { Fault } from "../support/fault-proxy.ts";
import { runScript } from "../support/script.ts";
import { type Shared, type TwoNodes, twoNodes } from "../support/two-nodes.ts";
import { closeConnections } from "./ask.ts";
import { type Observed, observe, SETTINGS } from "./observed.ts";

/*
 * Lets clients work on two nodes while PostgreSQL, Redis or S3 fail in each of the ways that are known, or a node is killed; then checks
 * all that the clients have seen: `npm run faults [-- WORD...]`, where each run whose name has one of the words takes place. The clocks of the
 * nodes differ by 10 seconds, and drift. FAULT_SECONDS says how long each fault lasts.
 */

const SECONDS = Number(process.env.FAULT_SECONDS ?? 20);

/** The channel of a member, and the time after which they must be gone when their node was killed. */
const CHANNEL = "participants:x";
const GONE_SECONDS = 15;

const lasting = async (begin: () => unknown, end: () => unknown): Promise<undefined> => {
  await begin();
  await sleep(SECONDS * 1_000);
  await end();
};

const NETWORK: Fault[] = [
  { kind: "latency", ms: 100 },
  { kind: "slow", bytesPerSecond: 50_000 },
  { kind: "cut" },
  { kind: "black hole" },
  { kind: "half open" },
];

interface Run {
  name: string;
  fault(all: TwoNodes): Promise<Observed | undefined>;
}

const RUNS: Run[] = [
  { name: "none", fault: () => sleep(SECONDS * 1_000, undefined) },
  ...(["postgres", "redis", "s3"] as const).flatMap((name): Run[] => {
    const of = (all: TwoNodes): Shared => all[name];
    return [
      ...NETWORK.map((fault) => ({
        name: `${name} ${fault.kind}`,
        fault: (all: TwoNodes) =>
          lasting(
            () => of(all).proxy.set(fault),
            () => of(all).proxy.set(),
          ),
      })),
      {
        name: `${name} SIGSTOP`,
        fault: (all) =>
          lasting(
            () => of(all).freeze(),
            () => of(all).thaw(),
          ),
      },
      {
        name: `${name} SIGKILL`,
        fault: (all) =>
          lasting(
            () => of(all).kill(),
            () => of(all).start(),
          ),
      },
    ];
  }),
  { name: "node killed", fault: killWithMember },
];

/** Kills a node on which somebody is present on a channel, and starts it again. Returns how long others still saw them. */
async function killWithMember({ nodes: [node, other] }: TwoNodes): Promise<Observed> {
  const [here, there] = [devTarget(node.base, "path"), devTarget(other.base, "path")];
  const { slug, people } = await stage(here);
  const [member, witness] = await Promise.all([
    connect(here, slug, people.editor),
    connect(there, slug, people.viewer),
  ]);
  for (const socket of [witness, member]) await socket.ask({ type: "subscribe", channel: CHANNEL });
  while ((await witness.next()).type !== "join");
  let seconds = Number.NaN;
  const begun = performance.now();
  await lasting(async () => {
    await node.kill();
    const left = (async () => {
      while ((await witness.next()).type !== "leave");
      seconds = (performance.now() - begun) / 1_000;
    })();
    left.catch(() => {});
  }, node.start);
  await witness.drop();
  return {
    wrong: seconds <= GONE_SECONDS ? [] : [`a member of a killed node was there for ${seconds} s`],
    seen: `a member of the killed node was gone after ${seconds.toFixed(1)} s`,
  };
}

const words = process.argv.slice(2);
const chosen = RUNS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));

await runScript(async (scope) => {
  const all = await twoNodes(scope, {
    settings: SETTINGS,
    clocks: [
      { ms: 5_000, rate: 0.01 },
      { ms: -5_000, rate: -0.01 },
    ],
  });
  const targets = all.nodes.map(({ base }) => devTarget(base, "path"));
  for (const { name, fault } of chosen) {
    const pids = all.nodes.map(({ process: { pid } }) => pid).join();
    const { wrong, seen } = await observe(targets, () => fault(all));
    if (name !== "node killed" && all.nodes.some(({ process: { pid } }) => !isAlive(pid)))
      wrong.push(`a node has ended, of ${pids}`);
    process.stdout.write(`${wrong.length === 0 ? "ok  " : "FAIL"} ${name}: ${seen}\n`);
    for (const each of wrong) process.stdout.write(`       ${each}\n`);
    if (wrong.length > 0) process.exitCode = 1;
  }
  if (process.exitCode === 1) process.stderr.write(readFileSync(all.log, "utf8").slice(-4_000));
  closeConnections();
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
