import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { send } from "../http.ts";
import { until } from "../patience.ts";
import type { Target } from "../target.ts";
import type { Received } from "./upstream.ts";

/** Returns the origin of the stand-in for an external API. */
export function upstreamOf({ upstream }: Target): string {
  assert.ok(upstream, "the target has no stand-in for an external API");
  return upstream;
}

/** Returns a random id that a test adds to the query of its requests, to find them in the log of the stand-in. */
export const freshMark = (): string => randomBytes(8).toString("hex");

/** Returns the requests with this mark that the stand-in has received. */
export async function receivedWith(target: Target, mark: string): Promise<Received[]> {
  const { text } = await send(upstreamOf(target), { method: "GET", path: `/log?mark=${mark}` });
  return JSON.parse(text) as Received[];
}

/** Returns the request with this mark. Fails unless the stand-in has received exactly one. */
export async function onlyWith(target: Target, mark: string): Promise<Received> {
  const [only, ...more] = await receivedWith(target, mark);
  assert.equal(more.length, 0, "the upstream gets one request");
  assert.ok(only, "the upstream gets the request");
  return only;
}

/** Asserts that the stand-in has received no request with this mark. */
export async function nothingWith(target: Target, mark: string): Promise<void> {
  assert.deepEqual(await receivedWith(target, mark), []);
}

/** Waits until the stand-in has received `count` requests with this mark. */
export const arrivals = (target: Target, mark: string, count: number): Promise<void> =>
  until(
    `${count} requests reach the upstream`,
    async () => (await receivedWith(target, mark)).length === count,
  );

/** Returns the values of a header in a request that the stand-in has received. */
export const valuesOf = ({ headers }: Received, name: string): string[] =>
  headers.filter(([each]) => each === name).map(([, value]) => value);
