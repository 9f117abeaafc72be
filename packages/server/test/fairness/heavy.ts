import { zip } from "../support/zip.ts";
import { type Place, type Site, textOf } from "./site.ts";

/** What the hostile person has prepared, so that small requests find much to do. */
export interface Heavy {
  /** An access token of a connected tool of the hostile person. */
  token: string;
  /** A canvas with as many files as a bundle may have, and as much data. */
  many: Place & { version: string };
  /** A canvas with large files: eight of 1 MiB that can be edited, and others. */
  large: Place & { version: string };
}

const FILES = 4_981;
/** Of each of two collections: what a canvas may have in all is twice as much. */
const RECORDS = 5_000;
const KEYS = 1_000;
const CANVASES = 190;
const EDITABLE = 1024 * 1024;
const LARGE_FILES = 60;
const LARGE_FILE = 3_000_000;

const COLLECTIONS = 40;
const POLICY = {
  collections: Object.fromEntries(
    Array.from({ length: COLLECTIONS }, (_, index) => [
      index === 0 ? "notes" : `notes${index}`,
      { preset: index === 1 ? "personal" : "contributions" },
    ]),
  ),
};

/** Sends a request as the hostile person. Returns the JSON of the response. Throws unless it is 2xx. */
export async function asHostile(
  { base, hostile: cookie }: Pick<Site, "base" | "hostile">,
  method: string,
  path: string,
  body?: object | Buffer | string,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const isJson = body !== undefined && typeof body !== "string" && !Buffer.isBuffer(body);
  const response = await fetch(base + path, {
    method,
    headers: { cookie, ...(isJson && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && {
      body: isJson ? JSON.stringify(body) : new Uint8Array(Buffer.from(body as Buffer)),
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
  return text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : { text };
}

/** Returns a text that compresses to a fifteenth. */
const largeText = (length: number): string =>
  Array.from({ length: length / 10_000 }, () => textOf(1_000) + "x".repeat(9_000)).join("");

async function makeCanvas(site: Site, title: string, files: Record<string, string | Buffer>) {
  const { id, slug } = (await asHostile(site, "POST", "/api/canvases", { title })) as unknown as Place;
  const bundle = await zip(files);
  const { version } = await asHostile(site, "PUT", `/api/canvases/${id}/bundle`, bundle, {
    "content-type": "application/zip",
  });
  return { id, slug, version: version as string };
}

/** Prepares canvases of the hostile person with as much content as the limits allow. */
export async function makeHeavy(site: Site): Promise<Heavy> {
  const { text: page } = await asHostile(
    site,
    "POST",
    "/tokens",
    new URLSearchParams({ audience: "mcp", name: "tool", scope: "full", canvas: "", end: "7" }).toString(),
    {
      "content-type": "application/x-www-form-urlencoded",
      origin: site.base,
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document",
      "sec-fetch-site": "same-origin",
    },
  );
  const [token] = /easel_mcp_[\w-]+/.exec(page as string) ?? [];
  if (token === undefined) throw new Error(`no token in ${page}`);
  const many = await makeCanvas(site, "Many", {
    "index.html": "<p>Many",
    ...Object.fromEntries(
      Array.from({ length: FILES - 1 }, (_, index) => [
        `${"a".repeat(120)}/${"b".repeat(60)}${index}.txt`,
        `${index}`,
      ]),
    ),
  });
  const { runtimePolicyRevision } = await asHostile(site, "GET", `/api/canvases/${many.id}`);
  await asHostile(site, "PATCH", `/api/canvases/${many.id}/capabilities`, {
    runtimePolicy: POLICY,
    expectedRuntimePolicy: runtimePolicyRevision ?? null,
    backendEnabled: true,
  });
  const lines = (count: number, of: (index: number) => object) =>
    Array.from({ length: count }, (_, index) => JSON.stringify(of(index))).join("\n");
  const record = (index: number) => ({
    value: { text: textOf(2_000), same: 1, other: "x", number: index, third: true },
  });
  const data = await zip({
    "manifest.json": JSON.stringify({ format: "easel-data", version: 1 }),
    "kv/shared.jsonl": lines(KEYS, (index) => ({ key: `k${index}`, value: textOf(2_000) })),
    "collections/notes.jsonl": lines(RECORDS, record),
    "collections/notes1.jsonl": lines(RECORDS, record),
  });
  await asHostile(site, "POST", `/api/canvases/${many.id}/import`, data, {
    "content-type": "application/zip",
  });
  const large = await makeCanvas(site, "Large", {
    "index.html": "<p>Large",
    ...Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [`edit${index}.txt`, `${"a".repeat(EDITABLE - 1)}y`]),
    ),
    ...Object.fromEntries(
      Array.from({ length: LARGE_FILES }, (_, index) => [`large${index}.txt`, largeText(LARGE_FILE)]),
    ),
  });
  for (let index = 0; index < CANVASES; index++)
    await asHostile(site, "POST", "/api/canvases", { title: `Canvas ${index}` });
  return { token, many, large };
}
