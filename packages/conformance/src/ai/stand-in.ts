import assert from "node:assert/strict";
import { send } from "../http.ts";
import { until } from "../patience.ts";
import type { StandIn, Target } from "../target.ts";
import type { Received } from "./provider.ts";

/** Returns the stand-in provider of a target. */
export function standInOf({ ai }: Target): StandIn {
  assert.ok(ai, "the target has no stand-in provider");
  return ai;
}

/**
 * Returns the requests that the stand-in provider has received with this mark. A mark is a random id that a test writes into the chat
 * message to find its own requests.
 */
export async function receivedWith(target: Target, mark: string): Promise<Received[]> {
  const path = `/log?mark=${encodeURIComponent(mark)}`;
  const { text } = await send(standInOf(target).url, { method: "GET", path });
  return JSON.parse(text);
}

/** Returns the request whose chat message contains this mark. Fails if the stand-in provider has received no such request or several. */
export async function onlyWith(target: Target, mark: string): Promise<Received> {
  const [only, ...more] = await receivedWith(target, mark);
  assert.equal(more.length, 0, "the provider is asked once");
  assert.ok(only, "the provider is asked");
  return only;
}

/** Asserts that the stand-in provider has received no request whose chat message contains this mark. */
export async function nothingWith(target: Target, mark: string): Promise<void> {
  assert.deepEqual(await receivedWith(target, mark), []);
}

/** Waits until the stand-in provider has received a request whose chat message contains this mark. */
export const arrival = (target: Target, mark: string): Promise<void> =>
  until("the request reaches the provider", async () => (await receivedWith(target, mark)).length === 1);

/**
 * Waits until the request whose chat message contains this mark has ended at the stand-in provider. Fails if the provider has sent its
 * whole response, because the service should have closed the connection before that.
 */
export async function closed(target: Target, mark: string): Promise<void> {
  await until("the request ends", async () => (await onlyWith(target, mark)).ended !== null);
  assert.equal((await onlyWith(target, mark)).ended, "closed");
}

/** Returns the API key that the service has sent to the provider in this request. Fails if there is none. */
export function keyOf({ headers }: Received, { wire }: StandIn): string {
  const sent = wire === "anthropic" ? headers["x-api-key"] : headers.authorization;
  const key = String(sent ?? "").replace(/^Bearer /, "");
  assert.notEqual(key, "", "the request has a key");
  return key;
}
