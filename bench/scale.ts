import { openCountingProxy } from "../packages/server/test/support/counting-proxy.ts";
import type { RedisServer } from "../packages/server/test/support/redis-server.ts";
import { type Database, startBus, startDatabase } from "./backends.ts";
import { pinned, type Server, startServer } from "./child.ts";
import { apply } from "./compare.ts";
import { startEasel } from "./easel.ts";
import type { LoadResult } from "./load.ts";
import { KINDS, type Kind, openPeople, type Requests, UNIQUE } from "./people.ts";
import { countRoundTrips } from "./round-trips.ts";
import { figure, median, type Table } from "./table.ts";

const SECONDS = Number(process.env.SCALE_SECONDS ?? 2);
/** An odd number, because medians are printed. */
const ROUNDS = Number(process.env.SCALE_ROUNDS ?? 5);
const PEOPLE = 24;
const CONNECTIONS = 64;
const WARM_UP_MS = 500;

/** Settings with which every rate limit is counted and none is reached. */
const LIMITS_ON = {
  SERVICE_RATELIMIT_ENABLED: "true",
  SERVICE_RATELIMIT_CANVAS_API_PER_MIN: "1000000000",
  SERVICE_RATELIMIT_MANAGEMENT_PER_MIN: "1000000000",
  SERVICE_RATELIMIT_LOGIN_PER_MIN: "1000000000",
};

/** A server of the comparison. */
interface Subject {
  name: string;
  /** The server for this kind of requests. */
  serverOf(kind: Kind): Server;
  requests: Requests;
  /** Pids of the processes that work for the server, by name. */
  others: Record<string, number>;
  /** Round trips of a request to PostgreSQL, and to Redis if the server has one. */
  trips?: Record<Kind, number[]>;
}

/** A kind of Easel that keeps its data in PostgreSQL. */
interface Scaled {
  name: string;
  redis: RedisServer | null;
}

type End = () => Promise<void>;

/**
 * Compares Easel on SQLite, on PostgreSQL, and on PostgreSQL with the bus in Redis with a bare server that sends the same bytes, in one
 * run. Each of 24 people has a canvas of their own, so that two requests in flight are seldom alike.
 */
export async function scale(): Promise<Table> {
  const kinds = kindsToMeasure();
  const ends: End[] = [];
  try {
    const subjects = await openSubjects(kinds, ends);
    const rounds = await measure(kinds, subjects);
    return {
      title: "scale: Easel on its databases against a bare node:http server",
      conditions: [
        `${PEOPLE} people with a canvas each, ${CONNECTIONS} connections, medians of ${ROUNDS} alternating rounds of ${SECONDS} s; ratios are medians of the ratios per round.`,
        "PostgreSQL syncs each commit to disk. CPU in µs per request; round trips of one request alone.",
        pinned ? "Servers and databases on core 0, load on core 1." : "NOT PINNED: expect noise.",
        `Node ${process.version}.`,
      ].join(" "),
      columns: [
        "",
        "requests/s",
        "of bare",
        "node",
        "PostgreSQL",
        "Redis",
        "p50 ms",
        "p99 ms",
        "round trips",
      ],
      rows: kinds.flatMap((kind) => subjects.map((subject) => rowOf(kind, subject, subjects[0], rounds))),
    };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

function kindsToMeasure(): Kind[] {
  const only = process.env.SCALE_ONLY?.split(",");
  const unknown = only?.filter((name) => !KINDS.some((kind) => kind === name)) ?? [];
  if (unknown.length > 0)
    throw new Error(`No such row: ${unknown.join(", ")}. There are: ${KINDS.join(", ")}.`);
  return KINDS.filter((kind) => only?.includes(kind) ?? true);
}

/** Starts the servers of the comparison; the bare one is the first. `ends` gets what stops them. */
async function openSubjects(kinds: Kind[], ends: End[]): Promise<Subject[]> {
  const started = async <Some extends { stop: End }>(starting: Promise<Some>) => {
    const server = await starting;
    ends.push(() => server.stop());
    return server;
  };
  const sqlite = await started(startEasel(0));
  const requests = await openPeople(sqlite.url, PEOPLE);
  const bares = new Map<Kind, Server>();
  for (const kind of kinds) {
    const body = await answerTo(sqlite, requests[kind][0] ?? "");
    bares.set(kind, await started(startServer(0, "bench/bare.ts", [body, body])));
  }
  const subjects: Subject[] = [
    { name: "bare", serverOf: (kind) => bares.get(kind) as Server, requests, others: {} },
    { name: "SQLite", serverOf: () => sqlite, requests, others: {} },
  ];

  const database = await started(startDatabase());
  const redis = await startBus();
  if (redis !== null) ends.push(() => redis.remove());
  const scaled: Scaled[] = [{ name: "PostgreSQL", redis: null }];
  if (redis !== null) scaled.push({ name: "PostgreSQL, Redis", redis });
  for (const [index, each] of scaled.entries()) {
    const trips = await tripsOf(kinds, `trips_${index}`, database, each);
    const url = await database.create(`timed_${index}`);
    const easel = await started(startEasel(0, settingsOf(url, each.redis?.url ?? null)));
    subjects.push({
      name: each.name,
      serverOf: () => easel,
      requests: await openPeople(easel.url, PEOPLE),
      others: { PostgreSQL: database.pid, ...(each.redis && { Redis: each.redis.pid }) },
      trips,
    });
  }
  return subjects;
}

/** Returns the URL of a bus whose server is reached through this port. */
function busAt({ url }: RedisServer, port: number): string {
  const own = new URL(url);
  own.port = String(port);
  return own.href;
}

const settingsOf = (databaseUrl: string, busUrl: string | null): Record<string, string> => ({
  SERVICE_DATABASE_URL: databaseUrl,
  SERVICE_SESSION_SECRET: "the-benchmark-signs-its-cookies-with-this",
  ...(busUrl !== null && { SERVICE_BUS_URL: busUrl, ...LIMITS_ON }),
});

/** Counts the round trips of each kind of request on a server and a database of their own. */
async function tripsOf(
  kinds: Kind[],
  name: string,
  database: Database,
  { redis }: Scaled,
): Promise<Record<Kind, number[]>> {
  const proxies = [await openCountingProxy(database.port)];
  if (redis !== null) proxies.push(await openCountingProxy(redis.port));
  const bus = redis && busAt(redis, proxies[1]?.port ?? 0);
  const url = await database.create(name, proxies[0]?.port);
  const easel = await startEasel(0, settingsOf(url, bus));
  try {
    const requests = await openPeople(easel.url, 1);
    const found = {} as Record<Kind, number[]>;
    for (const kind of kinds)
      found[kind] = await countRoundTrips(easel.port, requests[kind], UNIQUE, proxies);
    return found;
  } finally {
    await easel.stop();
    for (const proxy of proxies) proxy.close();
  }
}

/** Returns the body of the response to a complete HTTP/1.1 request. */
async function answerTo({ url }: Server, request: string): Promise<string> {
  const [head = "", body] = request.replace(UNIQUE, String(Date.now() * 1000)).split("\r\n\r\n");
  const [start = "", ...lines] = head.split("\r\n");
  const [method = "", path = ""] = start.split(" ");
  const headers = lines.map((line) => line.split(": ") as [string, string]);
  const response = await fetch(url + path, { method, headers, body: body === "" ? null : (body ?? null) });
  if (!response.ok) throw new Error(`${start} was answered with ${response.status}.`);
  return response.text();
}

type Round = Map<Kind, Map<Subject, LoadResult>>;

/** Sends each kind of request to each server in turn. The server that is first changes from round to round. */
async function measure(kinds: Kind[], subjects: Subject[]): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let index = 0; index <= ROUNDS; index++) {
    const first = index % subjects.length;
    const order = [...subjects.slice(first), ...subjects.slice(0, first)];
    const round: Round = new Map(kinds.map((kind) => [kind, new Map()]));
    for (const kind of kinds)
      for (const subject of order) {
        const { pid, port } = subject.serverOf(kind);
        const load = {
          port,
          pid,
          connections: CONNECTIONS,
          warmUpMs: WARM_UP_MS,
          timedMs: SECONDS * 1000,
          requests: subject.requests[kind],
          unique: UNIQUE,
          others: subject.others,
        };
        round.get(kind)?.set(subject, await apply(load));
      }
    // The first round only warms the servers up.
    if (index > 0) rounds.push(round);
  }
  return rounds;
}

function rowOf(kind: Kind, subject: Subject, compared: Subject | undefined, rounds: Round[]): string[] {
  const resultsOf = (each = subject) => rounds.flatMap((round) => round.get(kind)?.get(each) ?? []);
  const results = resultsOf();
  const bare = resultsOf(compared);
  const of = (read: (result: LoadResult) => number | null | undefined) =>
    median(results.map((result) => read(result) ?? Number.NaN));
  return [
    `${kind}, ${subject.name}`,
    figure(of(({ perSecond }) => perSecond)),
    figure(
      median(results.map(({ perSecond }, index) => perSecond / (bare[index]?.perSecond ?? Number.NaN))),
      3,
    ),
    figure(
      of(({ cpu }) => cpu),
      1,
    ),
    ...["PostgreSQL", "Redis"].map((name) =>
      figure(
        of(({ others }) => others[name]),
        1,
      ),
    ),
    figure(
      of(({ p50 }) => p50 / 1000),
      2,
    ),
    figure(
      of(({ p99 }) => p99 / 1000),
      2,
    ),
    subject.trips?.[kind].join(" + ") ?? "",
  ];
}
