import { outputOf, pinned, type Server, startNode } from "./child.ts";
import type { Load, LoadResult } from "./load.ts";
import { figure, median, type Table } from "./table.ts";

/** One kind of request, which is sent both to the bare server and to the server that is measured. */
export interface Case {
  name: string;
  /** The minimum ratio that the benchmark should reach: requests a second of the measured server, divided by those of the bare server. */
  target?: number;
  requests: string[];
  /**
   * A bare server for this case alone, which sends the same response bytes as the measured server. By default, the argument `bare` of
   * `compare`.
   */
  bare?: Server;
  /**
   * The name of another case in the run, such as `GET`. The table then also has the ratio of two results of the measured server: this case
   * divided by that case.
   */
  beside?: string;
}

/** Options of a comparison. The defaults take about 80 seconds for two cases. */
export interface CompareOptions {
  rounds?: number;
  connections?: number;
  warmUpMs?: number;
  timedMs?: number;
}

type Pair = { bare: LoadResult; subject: LoadResult };

/** Sends requests to a bare server and to another server alternately, in one run, and compares them case by case. */
export async function compare(
  title: string,
  bare: Server,
  subject: Server,
  cases: Case[],
  options: CompareOptions = {},
): Promise<Table> {
  const { rounds = 5, connections = 64, warmUpMs = 500, timedMs = 3000 } = options;
  const run = (server: Server, { requests }: Case) =>
    apply({ port: server.port, pid: server.pid, connections, warmUpMs, timedMs, requests });

  const pairs = new Map<Case, Pair[]>(cases.map((row) => [row, []]));
  for (const row of cases) for (const server of [row.bare ?? bare, subject]) await run(server, row);
  for (let round = 0; round < rounds; round++) {
    for (const [row, done] of pairs) {
      done.push(
        round % 2 === 0
          ? { bare: await run(row.bare ?? bare, row), subject: await run(subject, row) }
          : { subject: await run(subject, row), bare: await run(row.bare ?? bare, row) },
      );
    }
  }

  return {
    title,
    conditions: [
      `${connections} connections, medians of ${rounds} alternating rounds of ${timedMs / 1000} s; ratios are medians of the ratios per round.`,
      pinned
        ? "Server on core 0, load on core 1."
        : "NOT PINNED: server and load share the cores, so expect noise.",
      `Node ${process.version}.`,
    ].join(" "),
    columns: [
      "",
      "bare",
      "this",
      "ratio",
      "target",
      ...(cases.some(({ beside }) => beside) ? ["beside"] : []),
    ],
    rows: [...pairs].flatMap(([row, done]) => {
      const other = cases.find(({ name }) => name === row.beside);
      return rowsOf(row, done, other && pairs.get(other));
    }),
  };
}

/**
 * Runs `bench/load.ts`, which sends the requests that `load` describes, and returns the measurements that it prints. Throws if a response
 * was not 2xx.
 */
export async function apply(load: Load): Promise<LoadResult> {
  const child = startNode(1, "bench/load.ts", []);
  child.stdin.end(JSON.stringify(load));
  const result: LoadResult = JSON.parse(await outputOf(child));
  if (result.refused > 0) throw new Error(`${result.refused} of ${result.responses} requests were refused.`);
  return result;
}

function rowsOf({ name, target, beside }: Case, pairs: Pair[], others: Pair[] = []): string[][] {
  const row = (label: string, read: (result: LoadResult) => number, decimals: number, goal = "") => {
    const bare = pairs.map((pair) => read(pair.bare));
    const subject = pairs.map((pair) => read(pair.subject));
    const ratioTo = (figures: number[]) =>
      figure(median(subject.map((value, index) => value / (figures[index] ?? Number.NaN))), 2);
    const other = others.map((pair) => read(pair.subject));
    return [
      `${name} ${label}`,
      figure(median(bare), decimals),
      figure(median(subject), decimals),
      ratioTo(bare),
      goal,
      ...(other.length > 0 ? [`${ratioTo(other)} of ${beside}`] : []),
    ];
  };
  return [
    row("requests/s", (result) => result.perSecond, 0, target === undefined ? "" : `>= ${target.toFixed(2)}`),
    row("server CPU µs/request", (result) => result.cpu ?? Number.NaN, 1),
    row("p50 ms", (result) => result.p50 / 1000, 2),
    row("p99 ms", (result) => result.p99 / 1000, 2),
    row("server busy %", (result) => ((result.cpu ?? Number.NaN) * result.perSecond) / 10_000, 0).slice(0, 3),
  ];
}
