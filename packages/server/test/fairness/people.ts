import { setTimeout as sleep } from "node:timers/promises";
import { devTarget, freshEmail } from "@easel/conformance/target";
import type { Site } from "./site.ts";

/** How long each kind of request took, in milliseconds. */
export type PageTimes = Record<"page" | "read" | "write" | "list", number[]>;

/** The time between two requests of a person. With all kinds together, it is below the rate limit of a canvas. */
const PAUSE_MS = 600;

/** Signs new people in. Returns their `Cookie` headers. */
export async function signInPeople({ base }: Site, count: number): Promise<string[]> {
  const target = devTarget(base, "path");
  const cookies: string[] = [];
  for (let index = 0; index < count; index++) {
    const person = await target.signIn(freshEmail(`viewer${index}`));
    cookies.push(person.headers[0]?.[1] ?? "");
  }
  return cookies;
}

/** Uses the shared canvas as these people for a time. Throws if a request is refused. */
export async function usePages(
  { base, shared }: Site,
  cookies: readonly string[],
  durationMs: number,
): Promise<PageTimes> {
  const times: PageTimes = { page: [], read: [], write: [], list: [] };
  const end = performance.now() + durationMs;
  const page = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", accept: "text/html" };
  const api = `/v1/c/${shared.slug}`;
  const asks: [kind: keyof PageTimes, path: string, init: RequestInit][] = [
    ["page", `/c/${shared.slug}/`, { headers: page }],
    ["read", `${api}/kv/user/mine?optional=true`, {}],
    [
      "write",
      `${api}/kv/user/mine`,
      { method: "PUT", headers: { "content-type": "application/json" }, body: '"a value"' },
    ],
    ["list", `${api}/collections/notes?limit=20`, {}],
  ];
  await Promise.all(
    cookies.map(async (cookie, person) => {
      await sleep((person * PAUSE_MS) / cookies.length);
      for (let turn = person; performance.now() < end; turn++) {
        const [kind, path, init] = asks[turn % asks.length] as (typeof asks)[number];
        const start = performance.now();
        const response = await fetch(base + path, { ...init, headers: { ...init.headers, cookie } });
        const text = await response.text();
        times[kind].push(performance.now() - start);
        if (!response.ok && !(kind === "read" && response.status === 404))
          throw new Error(`${kind}: ${response.status} ${text.slice(0, 100)}`);
        await sleep(PAUSE_MS);
      }
    }),
  );
  return times;
}
