import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { killAmid, signIn, startProcess } from "./process.ts";
import { type Scope, temporaryDirectory } from "./service.ts";

const WRITERS = 16;
const COUNTERS = 4;

/** What the writers know: the last acknowledged and the pending value of each key, and the number of increments of each counter. */
interface Known {
  keys: Map<string, { acknowledged: number | undefined; unanswered: number | undefined }>;
  counters: Map<string, Counter>;
}

interface Counter {
  acknowledged: number;
  unanswered: number;
}

/** Puts increasing values of a key and increments counters, until the service is killed. */
async function write(
  kv: string,
  headers: Record<string, string>,
  writer: number,
  known: Known,
  acknowledged: () => void,
): Promise<void> {
  const key = `writer-${writer}`;
  const state = known.keys.get(key) ?? { acknowledged: undefined, unanswered: undefined };
  known.keys.set(key, state);
  for (;;) {
    const value: number = (state.unanswered ?? state.acknowledged ?? 0) + 1;
    const [name, counter] = [...known.counters][randomInt(COUNTERS)] as [string, Counter];
    try {
      state.unanswered = value;
      const put = await fetch(`${kv}/${key}`, { method: "PUT", headers, body: JSON.stringify({ value }) });
      assert.equal(put.status, 200);
      await put.arrayBuffer();
      state.acknowledged = value;
      state.unanswered = undefined;
      acknowledged();
      counter.unanswered++;
      const increment = await fetch(`${kv}/${name}/increment`, { method: "POST", headers });
      assert.equal(increment.status, 200);
      await increment.arrayBuffer();
      counter.unanswered--;
      counter.acknowledged++;
      acknowledged();
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return;
    }
  }
}

async function check(kv: string, headers: Record<string, string>, known: Known): Promise<void> {
  const read = async (key: string) => {
    const answer = await fetch(`${kv}/${key}`, { headers });
    return answer.status === 404 ? undefined : ((await answer.json()) as { value: unknown }).value;
  };
  for (const [key, state] of known.keys) {
    const stored = ((await read(key)) as { value: number } | undefined)?.value;
    const possible = [state.acknowledged, state.unanswered ?? state.acknowledged];
    assert.ok(possible.includes(stored), `${key} holds ${stored}, of ${possible.join(" or ")}`);
    state.acknowledged = stored;
    state.unanswered = undefined;
  }
  for (const [name, state] of known.counters) {
    const stored = ((await read(name)) ?? 0) as number;
    const most = state.acknowledged + state.unanswered;
    assert.ok(
      stored >= state.acknowledged && stored <= most,
      `${name}: ${state.acknowledged} <= ${stored} <= ${most}`,
    );
    known.counters.set(name, { acknowledged: stored, unanswered: 0 });
  }
}

/**
 * Kills a service with SIGKILL during writes, `kills` times. Asserts after each start that every acknowledged write is stored, and nothing
 * that was never sent. Returns the number of acknowledged writes.
 */
export async function surviveKills(
  scope: Scope,
  kills: number,
  settings: Record<string, string> = {},
): Promise<number> {
  const directory = await temporaryDirectory(scope);
  const known: Known = {
    keys: new Map(),
    counters: new Map(
      Array.from({ length: COUNTERS }, (_, n) => [`counter-${n}`, { acknowledged: 0, unanswered: 0 }]),
    ),
  };
  let acknowledgements = 0;
  for (let kill = 0; kill <= kills; kill++) {
    const service = await startProcess(scope, directory, settings);
    const { base } = service;
    const headers = await signIn(base);
    const kv = `${base}/v1/c/guestbook/kv`;
    await check(kv, headers, known);
    if (kill === kills) break;
    await killAmid(service, randomInt(3 * WRITERS, 15 * WRITERS), (acknowledged) => {
      const counted = () => {
        acknowledgements++;
        acknowledged();
      };
      return Promise.all(Array.from({ length: WRITERS }, (_, n) => write(kv, headers, n, known, counted)));
    });
  }
  return acknowledgements;
}
