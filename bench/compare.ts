import { outputOf, pinned, type Server, startNode } from "./child.ts";
import type { Load, Loaded } from "./load.ts";
import { figure, median, type Table } from "./table.ts";

/** One kind of request, sent to both servers. */
export interface Case {
  name: string;
  /** The requests a second to reach, as a part of the bare server's. */
  target?: number;
  requests: string[];
  /** The bare server that answers these bytes, where it is one of its own. */
  bare?: Server;
  /** The name of another case of the run: figures are told as a part of that one's, too. */
  beside?: string;
}

/** How a comparison is run; the defaults take about 80 seconds for two cases. */
export interface Course {
  rounds?: number;
  connections?: number;
  warmUpMs?: number;
  timedMs?: number;
}

type Pair = { bare: Loaded; subject: Loaded };

/** Loads a bare server and another one in turn, in one run, and compares them case by case. */
export async function compare(
  title: string,
  bare: Server,
  subject: Server,
  cases: Case[],
  course: Course = {},
): Promise<Table> {
  const { rounds = 5, connections = 64, warmUpMs = 500, timedMs = 3000 } = course;
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
      `${connections} connections, medians of ${rounds} rounds of ${timedMs / 1000} s, in turn; ratios are medians of each round's own.`,
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

/** Runs one load process and gives its figures; an answer that is not 2xx makes them worthless. */
export async function apply(load: Load): Promise<Loaded> {
  const child = startNode(1, "bench/load.ts", []);
  child.stdin.end(JSON.stringify(load));
  const loaded: Loaded = JSON.parse(await outputOf(child));
  if (loaded.refused > 0) throw new Error(`${loaded.refused} of ${loaded.responses} requests were refused.`);
  return loaded;
}

function rowsOf({ name, target, beside }: Case, pairs: Pair[], others: Pair[] = []): string[][] {
  const row = (label: string, read: (loaded: Loaded) => number, decimals: number, goal = "") => {
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
    row("requests/s", (loaded) => loaded.perSecond, 0, target === undefined ? "" : `>= ${target.toFixed(2)}`),
    row("server CPU µs/request", (loaded) => loaded.cpu ?? Number.NaN, 1),
    row("p50 ms", (loaded) => loaded.p50 / 1000, 2),
    row("p99 ms", (loaded) => loaded.p99 / 1000, 2),
    row("server busy %", (loaded) => ((loaded.cpu ?? Number.NaN) * loaded.perSecond) / 10_000, 0).slice(0, 3),
  ];
}
