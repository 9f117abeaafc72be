import assert from "node:assert/strict";
import { send } from "../http.ts";
import { until } from "../patience.ts";
import type { Target } from "../target.ts";
import type { Received } from "./provider.ts";

/** The stand-in provider of the service under test, and the protocol that the service speaks with it. */
export interface StandIn {
  /** Address of the provider, as it printed it. */
  url: string;
  wire: "anthropic" | "openai";
}

/** Returns the stand-in provider of a target. */
export function standInOf({ ai }: Target): StandIn {
  assert.ok(ai, "the target has no stand-in provider");
  return ai;
}

/** Returns the requests with this mark that the provider has received. */
export async function receivedWith(target: Target, mark: string): Promise<Received[]> {
  const path = `/log?mark=${encodeURIComponent(mark)}`;
  const { text } = await send(standInOf(target).url, { method: "GET", path });
  return JSON.parse(text);
}

/** Returns the only request with this mark. */
export async function onlyWith(target: Target, mark: string): Promise<Received> {
  const [only, ...more] = await receivedWith(target, mark);
  assert.equal(more.length, 0, "the provider is asked once");
  assert.ok(only, "the provider is asked");
  return only;
}

/** Asserts that the provider has received no request with this mark. */
export async function nothingWith(target: Target, mark: string): Promise<void> {
  assert.deepEqual(await receivedWith(target, mark), []);
}

/** Waits until the provider has received the request with this mark. */
export const arrival = (target: Target, mark: string): Promise<void> =>
  until("the request reaches the provider", async () => (await receivedWith(target, mark)).length === 1);

/** Waits until the service has closed the request with this mark. Fails if the provider played its whole script. */
export async function closed(target: Target, mark: string): Promise<void> {
  await until("the request ends", async () => (await onlyWith(target, mark)).ended !== null);
  assert.equal((await onlyWith(target, mark)).ended, "closed");
}

/** Returns the key with which a request authenticates the service at the provider. */
export function keyOf({ headers }: Received, { wire }: StandIn): string {
  const sent = wire === "anthropic" ? headers["x-api-key"] : headers.authorization;
  const key = String(sent ?? "").replace(/^Bearer /, "");
  assert.notEqual(key, "", "the request has a key");
  return key;
}
