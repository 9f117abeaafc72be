import type { Server } from "./child.ts";
import { apply } from "./compare.ts";
import { startEasel } from "./easel.ts";
import { openPage, type Page } from "./page.ts";
import { publishPage, textOf } from "./published.ts";
import { makeRecords, POLICY, recordOf } from "./records.ts";
import { figure, median, type Table } from "./table.ts";

const ROUNDS = 5;
const LOAD = { connections: 16, warmUpMs: 500, timedMs: 1000 };
const RECORDS = 50;
const PAGE_BYTES = 10 * 1024;
const REVISION = "2026-07-28";

/** A tool with its arguments, and the request by which another program gets the same. */
interface Case {
  tool: string;
  args: object;
  path: string;
}

const casesOf = ({ id, slug }: Page, version: string): Case[] => [
  { tool: "list_canvases", args: {}, path: "/api/canvases?limit=50" },
  { tool: "get_canvas", args: { canvas: slug }, path: `/api/canvases/${id}` },
  {
    tool: "read_files",
    args: { canvas: slug },
    path: `/api/canvases/${id}/versions/${version}/files?limit=500`,
  },
  {
    tool: "read_files",
    args: { canvas: slug, version, paths: ["index.html"] },
    path: `/api/canvases/${id}/versions/${version}/file?path=index.html`,
  },
  { tool: "read_data", args: { canvas: slug, what: "keys" }, path: `/v1/c/${slug}/kv` },
  {
    tool: "read_data",
    args: { canvas: slug, what: "records", name: "items" },
    path: `/v1/c/${slug}/collections/items?limit=100`,
  },
  { tool: "read_errors", args: { canvas: slug }, path: `/api/canvases/${id}/log?limit=50` },
];

/** Creates an access token of the person with a `Cookie` header, for the APIs or for the tools. */
async function tokenOf(base: string, cookie: string, audience: "api" | "mcp"): Promise<string> {
  const answer = await fetch(`${base}/api/tokens`, {
    method: "POST",
    headers: { cookie, "content-type": "application/json" },
    body: JSON.stringify({ name: "Bench", audience }),
  });
  return ((await answer.json()) as { token: string }).token;
}

/** Returns a complete HTTP/1.1 request to `/mcp`. */
function toolRequest(
  host: string,
  token: string,
  method: string,
  params: { name?: string; arguments?: object },
): string {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": REVISION,
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } });
  const named = params.name === undefined ? "" : `mcp-name: ${params.name}\r\n`;
  return `POST /mcp HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\nmcp-protocol-version: ${REVISION}\r\nmcp-method: ${method}\r\n${named}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const apiRequest = (host: string, token: string, path: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n\r\n`;

const costOf = async ({ port, pid }: Server, request: string): Promise<number> =>
  (await apply({ ...LOAD, port, pid, requests: [request] })).cpu ?? Number.NaN;

/** Compares the CPU time of the list of tools, and of tools that read, with that of the requests that get the same from the APIs. */
export async function mcp(): Promise<Table> {
  const easel = await startEasel(0);
  try {
    const page = await openPage(easel.url, POLICY);
    await makeRecords(page, "items", RECORDS, recordOf);
    for (let index = 0; index < RECORDS; index++) await page.call("PUT", `/kv/key-${index}`, recordOf(index));
    await publishPage(easel.url, page, textOf(PAGE_BYTES));
    const read = await fetch(`${easel.url}/api/canvases/${page.id}`, { headers: { cookie: page.cookie } });
    const { version } = (await read.json()) as { version: string };
    const { host } = new URL(easel.url);
    const [api, tools] = [
      await tokenOf(easel.url, page.cookie, "api"),
      await tokenOf(easel.url, page.cookie, "mcp"),
    ];
    const pairs: [name: string, tool: string, request: string][] = [
      [
        "tools/list",
        toolRequest(host, tools, "tools/list", {}),
        apiRequest(host, api, "/api/canvases?limit=50"),
      ],
      ...casesOf(page, version).map(({ tool, args, path }): [string, string, string] => [
        `${tool} ${path.replace(/^.*(\/canvases\/[^/?]+|\/c\/[^/]+)/, "…")}`,
        toolRequest(host, tools, "tools/call", { name: tool, arguments: args }),
        apiRequest(host, api, path),
      ]),
    ];
    const rows: string[][] = [];
    for (const [name, tool, request] of pairs) {
      const costs: { tool: number; api: number }[] = [];
      for (let round = 0; round < ROUNDS; round++)
        costs.push({ api: await costOf(easel, request), tool: await costOf(easel, tool) });
      const of = (key: "tool" | "api") => figure(median(costs.map((each) => each[key])), 0);
      rows.push([
        name,
        of("api"),
        of("tool"),
        figure(median(costs.map((each) => each.tool / each.api)), 2),
        "<= 1.50",
      ]);
    }
    return {
      title: "mcp: server CPU µs/request of tools, against the requests that get the same from the APIs",
      conditions: `${LOAD.connections} connections, medians of ${ROUNDS} alternating rounds of ${LOAD.timedMs / 1000} s; ratios are medians of the ratios per round. tools/list beside the list of canvases. Node ${process.version}.`,
      columns: ["", "api", "tool", "ratio", "target"],
      rows,
    };
  } finally {
    await easel.stop();
  }
}
