import { startServer } from "./child.ts";
import { compare } from "./compare.ts";
import { startEasel } from "./easel.ts";
import type { Table } from "./table.ts";

const KEYS = 1000;
const JSON_TYPE = { "content-type": "application/json" };

/** `GET` and `PUT /kv/{key}` through the whole pipeline, as a signed-in page sends them, against a bare server. */
export async function kv(): Promise<Table> {
  const easel = await startEasel(0);
  try {
    const page = await openPage(easel.url);
    for (let index = 0; index < KEYS; index++)
      await page.fetch(index, { method: "PUT", body: itemOf(index) });
    const got = await (await page.fetch(0)).text();
    const put = await (await page.fetch(0, { method: "PUT", body: itemOf(0) })).text();
    const bare = await startServer(0, "bench/bare.ts", [got, put]);
    try {
      return await compare("kv: the whole pipeline against a bare node:http server", bare, easel, [
        { name: "GET", target: 0.5, requests: page.requests("GET") },
        { name: "PUT", target: 0.3, requests: page.requests("PUT") },
      ]);
    } finally {
      await bare.stop();
    }
  } finally {
    await easel.stop();
  }
}

/** A new canvas with its backend on, and the requests of its page. */
async function openPage(base: string) {
  const signIn = await call(`${base}/auth/dev/session`, {
    method: "POST",
    body: '{"email":"dev@example.com"}',
  });
  const cookie = signIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const created = await call(
    `${base}/api/canvases`,
    { method: "POST", body: '{"title":"Bench"}' },
    { cookie },
  );
  const { id, slug } = (await created.json()) as { id: string; slug: string };
  await call(
    `${base}/api/canvases/${id}/capabilities`,
    { method: "PATCH", body: '{"backendEnabled":true}' },
    { cookie },
  );

  const pathOf = (index: number) => `/v1/c/${slug}/kv/item:${String(index).padStart(4, "0")}`;
  const headers = { cookie, "sec-fetch-site": "same-origin", referer: `${base}/c/${slug}/` };
  return {
    fetch: (index: number, init: RequestInit = {}) => call(base + pathOf(index), init, headers),
    requests: (method: "GET" | "PUT") =>
      Array.from({ length: KEYS }, (_, index) => {
        const value = method === "PUT" ? itemOf(index) : "";
        const lines = Object.entries({
          host: new URL(base).host,
          ...headers,
          ...(method === "PUT" && { ...JSON_TYPE, "content-length": value.length }),
        }).map(([name, text]) => `${name}: ${text}\r\n`);
        return `${method} ${pathOf(index)} HTTP/1.1\r\n${lines.join("")}\r\n${value}`;
      }),
  };
}

/** A value of ordinary size, of the same length for every key. */
function itemOf(index: number): string {
  return JSON.stringify({
    id: KEYS + index,
    title: "Water the plants by the window",
    done: false,
    tags: ["home"],
  });
}

async function call(url: string, init: RequestInit, headers: Record<string, string> = {}): Promise<Response> {
  const type = init.body === undefined ? {} : JSON_TYPE;
  const response = await fetch(url, { ...init, headers: { ...type, ...headers } });
  if (!response.ok) throw new Error(`${init.method ?? "GET"} ${url} answered ${response.status}.`);
  return response;
}
