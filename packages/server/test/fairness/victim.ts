import { setTimeout as sleep } from "node:timers/promises";
import { zip } from "../support/zip.ts";
import type { Site } from "./site.ts";

/** What the victim does, and how long it took, in milliseconds. */
export type Times = Record<"page" | "write" | "deploy" | "sign-in", number[]>;

/** How often the victim does each thing. */
const PAUSES: Record<keyof Times, number> = { page: 100, write: 100, deploy: 500, "sign-in": 500 };

/** The time after which the victim gives a request up. */
const PATIENCE_MS = 30_000;

/** Returns the 99th percentile; the largest figure if there are fewer than 100. */
export const p99 = (times: number[]): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;

/** Works as the victim for a time. Throws if a request is refused. Returns the times of the requests from start to the end of the response. */
export async function work({ base, victim, shared }: Site, durationMs: number): Promise<Times> {
  const times: Times = { page: [], write: [], deploy: [], "sign-in": [] };
  const end = performance.now() + durationMs;
  const ask = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string | Uint8Array<ArrayBuffer>,
  ) => {
    const response = await fetch(base + path, {
      method,
      headers: { cookie: victim, ...headers },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${response.status} to ${path.split("/", 4).join("/")}: ${text.slice(0, 60)}`);
  };
  const page = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", accept: "text/html" };
  const JSON_TYPE = { "content-type": "application/json" };
  let version = 0;
  const things: Record<keyof Times, () => Promise<void>> = {
    page: () => ask("GET", `/c/${shared.slug}/`, page),
    write: () => ask("PUT", `/v1/c/${shared.slug}/kv/greeting`, JSON_TYPE, `${version}`),
    async deploy() {
      const bundle = await zip({
        "index.html": `<!doctype html><p>Version ${version++}.</p>`,
        "a.css": "p{}",
      });
      await ask(
        "PUT",
        `/api/canvases/${shared.id}/bundle`,
        { "content-type": "application/zip" },
        new Uint8Array(bundle),
      );
    },
    "sign-in": () =>
      ask("POST", "/auth/dev/session", { ...JSON_TYPE, cookie: "" }, '{"email":"newcomer@example.com"}'),
  };
  await Promise.all(
    Object.entries(things).map(async ([name, thing]) => {
      const kind = name as keyof Times;
      while (performance.now() < end) {
        const start = performance.now();
        await thing();
        times[kind].push(performance.now() - start);
        await sleep(PAUSES[kind]);
      }
    }),
  );
  return times;
}
