import { pinned, type Server } from "./child.ts";
import { apply } from "./compare.ts";
import { startEasel } from "./easel.ts";
import { kvCases } from "./kv.ts";
import { openPage } from "./page.ts";
import { figure, median, type Table } from "./table.ts";

/** Two processes of the same program differ by a percent or two, so that several of each are compared. */
const TRIPLES = 5;
const ROUNDS = 3;
const LOAD = { connections: 64, warmUpMs: 1_000, timedMs: 2_000 };
const TARGET = 1.01;

/** The settings of the services of a round. The last one tells how far figures differ that should be the same. */
const SETTINGS = {
  "without metrics": {},
  "with metrics": { SERVICE_METRICS_ADDRESS: "127.0.0.1:0" },
  "without metrics, again": {},
};

type Name = keyof typeof SETTINGS;

/** Compares the CPU time of `GET /kv/{key}` on services that measure their requests with that on services that do not. */
export async function metrics(): Promise<Table> {
  const costs = new Map<Name, number[]>(Object.keys(SETTINGS).map((name) => [name as Name, []]));
  for (let triple = 0; triple < TRIPLES; triple++) {
    const services = new Map<Name, { server: Server; requests: string[] }>();
    try {
      for (const [name, settings] of Object.entries(SETTINGS)) {
        const server = await startEasel(0, settings);
        const { cases } = await kvCases(await openPage(server.url));
        services.set(name as Name, { server, requests: cases[0].requests });
      }
      for (let round = 0; round < ROUNDS; round++)
        for (const [name, { server, requests }] of round % 2 === 0 ? services : [...services].reverse())
          costs
            .get(name)
            ?.push(
              (await apply({ ...LOAD, port: server.port, pid: server.pid, requests })).cpu ?? Number.NaN,
            );
    } finally {
      await Promise.all([...services.values()].map(({ server }) => server.stop()));
    }
  }
  const without = costs.get("without metrics") ?? [];
  return {
    title: "metrics: what measuring requests costs KV GET",
    conditions: `${LOAD.connections} connections, medians of ${TRIPLES * ROUNDS} rounds of ${LOAD.timedMs / 1000} s on ${TRIPLES} processes each; ratios are medians of the ratios per round. ${pinned ? "Server on core 0, load on core 1." : "NOT PINNED."} Node ${process.version}.`,
    columns: ["GET", "server CPU µs/request", "ratio", "target"],
    rows: [...costs].map(([name, each]) => [
      name,
      figure(median(each), 2),
      figure(median(each.map((cost, at) => cost / (without[at] ?? Number.NaN))), 3),
      name === "with metrics" ? `<= ${TARGET}` : "",
    ]),
  };
}
