import { ACTS } from "../../../src/management/acts.ts";
import { toolRequest } from "../../support/connected-tool.ts";
import { type Attack, type Hostile, repeat, type Sent } from "../attack.ts";
import type { Heavy } from "../heavy.ts";

const JSON_TYPE = { "content-type": "application/json" };
const WIDTH = 40;

/** Requests with a name. */
type Named = [name: string, sent: Sent];

/** Edits that undo each other. With `all`, each changes every character of a file; otherwise each searches the whole file for its last one. */
const flips = (one: string, other: string, all: boolean) =>
  Array.from({ length: 100 }, (_, index) =>
    index % 2 === 0 ? { old: one, new: other, all } : { old: other, new: one, all },
  );
const EDITABLE = Array.from({ length: 8 }, (_, index) => `edit${index}.txt`);

/** The calls of each tool that find most to do. */
const toolCalls = ({ many, large }: Heavy): [name: string, args: object][] => {
  const edit = (edits: object[]) => ({
    canvas: large.slug,
    publish: false,
    files: EDITABLE.map((path) => ({ path, edits })),
  });
  const globs = Array.from({ length: 10 }, (_, index) => `*${"b".repeat(40)}c${index}`);
  const canvas = many.slug;
  const where = { "value.same": 1, "value.other": "x", "value.number": { gte: 1e9 } };
  return [
    ["deploy_canvas", edit(flips("a", "b", true))],
    ["deploy_canvas", edit(flips("y", "z", false))],
    ["deploy_canvas", { canvas, publish: false, files: [{ path: "x.txt", text: "x" }] }],
    ["read_files", { canvas: large.slug, paths: ["**"], from: 2_000_000_000 }],
    ["read_files", { canvas, paths: globs }],
    ["read_files", { canvas, paths: ["**"] }],
    ["read_files", { canvas }],
    ...["summary", "keys", "own_keys", "files"].map((what): [string, object] => [
      "read_data",
      { canvas, what },
    ]),
    ["read_data", { canvas, what: "records", name: "notes", where }],
    ["read_data", { canvas, what: "records", name: "notes", orderBy: "-value.number" }],
    [
      "write_data",
      {
        canvas,
        changes: Array.from({ length: 100 }, (_, index) => ({ op: "set", key: `w${index}`, value: "x" })),
      },
    ],
    ["get_canvas", { canvas, include: ["versions", "policy", "usage", "errors", "files", "people"] }],
    ["list_canvases", {}],
    ["read_errors", { canvas }],
    ["guide", { topic: "how do I store records with policies and files in collections and submissions" }],
    ["configure_canvas", { canvas, policy: { collections: { notes2: { preset: "submissions" } } } }],
    [
      "share_canvas",
      {
        canvas,
        people: Array.from({ length: 20 }, (_, index) => ({
          email: `p${index}@example.com`,
          role: "viewer",
        })),
      },
    ],
    ["publish_version", { canvas, version: many.version }],
  ];
};

/** Every request of the management API that only reads, and those that write most. */
const actRequests = ({ many }: Heavy): Named[] => {
  const pathOf = (path: string) =>
    path
      .replace("{id}", many.id)
      .replace("{version}", many.version)
      .replace(/\{\w+\}/g, "x");
  const manifest = Array.from({ length: 5_000 }, (_, index) => ({
    path: `${"é".repeat(60)}/${index}/${"x".repeat(150)}`,
    sha256: index.toString(16).padStart(64, "0"),
    size: 5,
  }));
  return [
    ...ACTS.filter(({ method, path }) => method === "GET" && !path.startsWith("/api/admin/")).map(
      ({ name, path }): Named => [name, { method: "GET", path: pathOf(path) }],
    ),
    [
      "canvas.stage",
      {
        method: "POST",
        path: `/api/canvases/${many.id}/deploys`,
        headers: JSON_TYPE,
        body: JSON.stringify({ files: manifest }),
      },
    ],
    ["canvas.publish", { method: "POST", path: `/api/canvases/${many.id}/versions/${many.version}/publish` }],
  ];
};

/** Lists of the runtime API that look at every record, and searches in the documentation. */
const pageRequests = ({ many }: Heavy): Named[] => {
  const root = `/v1/c/${many.slug}`;
  const query = (where: object) => `where=${encodeURIComponent(JSON.stringify(where))}`;
  const none = { "value.same": 1, "value.third": true, "value.other": "z" };
  return [
    `${root}/collections/notes?${query(none)}&limit=1000`,
    `${root}/collections/notes?${query(none)}&orderBy=-value.number`,
    `${root}/collections/notes1?${query({ "value.number": { gte: 0 }, "value.same": { gte: 0 }, "value.third": true })}&limit=1000&orderBy=-value.number`,
    `${root}/collections/notes?limit=1000`,
    `${root}/kv?limit=1000`,
    `/docs/search?q=${encodeURIComponent("a e i o u s t n r l d c")}`,
    "/openapi.json",
  ].map((path): Named => [path.split("?", 1)[0] as string, { method: "GET", path }]);
};

/** Returns the requests of the smallest size with the most work. */
export function smallRequests(heavy: Heavy): Named[] {
  const calls = toolCalls(heavy).map(([name, args]): Named => {
    const { headers, body } = toolRequest("tools/call", { name, arguments: args });
    const all = { ...Object.fromEntries(headers), authorization: `Bearer ${heavy.token}`, cookie: "" };
    return [name, { method: "POST", path: "/mcp", headers: all, body }];
  });
  return [...calls, ...actRequests(heavy), ...pageRequests(heavy)];
}

/** How long clients wait for their answers, in milliseconds. */
const PATIENCE_MS = 2_000;

/** Sends requests in turn, one after the other is due, whether the last one is answered or not. */
async function send(hostile: Hostile, requests: Named[], everyMs: number): Promise<void> {
  const sent: Promise<number>[] = [];
  for (let index = 0; !hostile.signal.aborted; index++) {
    const [, request] = requests[index % requests.length] as Named;
    sent.push(hostile.ask({ ...request, abortAfterMs: PATIENCE_MS }));
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  await Promise.all(sent);
}

/** Sends requests in turn, many at once. */
const flood = (hostile: Hostile, requests: Named[]): Promise<void> =>
  repeat(hostile, WIDTH, async (index) => {
    const [, request] = requests[index % requests.length] as Named;
    const status = await hostile.ask({ ...request, abortAfterMs: PATIENCE_MS });
    // A client that is refused for its rate waits, so that its own process does not take the processor.
    if (status === 429) await new Promise((resolve) => setTimeout(resolve, 500));
  });

/** The time between two requests at the rate that the limits allow by default: 240 in a minute. */
const EVERY_MS = 250;

/** Attacks by small requests with much work. */
export const smallRequestAttacks: Attack[] = [
  {
    name: "small requests at the rate of the limits",
    async run(hostile) {
      const { heavy } = hostile.site;
      if (heavy !== null) await send(hostile, smallRequests(heavy), EVERY_MS);
    },
  },
  {
    name: "a burst of small requests",
    async run(hostile) {
      const { heavy } = hostile.site;
      if (heavy !== null) await flood(hostile, smallRequests(heavy));
    },
  },
];
