import assert from "node:assert/strict";
import { test } from "node:test";
import type { EaselError, RecordChange } from "@easel/sdk";
import { settle } from "../../sdk/test/settle.ts";
import { createLivePhase, type PhasedCollection } from "../src/live-phase.ts";

/** A collection in memory whose phase another page switches by `switchTo`. `requests` has what was sent. */
function fakeCollection() {
  const requests: string[] = [];
  const handlers = new Set<(change: RecordChange) => void>();
  let phase: string | null = null;
  let fault: EaselError | undefined;
  const announce = (change: RecordChange) => {
    for (const each of handlers) each(change);
  };
  const collection: PhasedCollection = {
    async phase() {
      requests.push("phase");
      return { phase, phases: ["revealed"] };
    },
    async setPhase(next) {
      requests.push(`set ${next}`);
      if (fault) throw fault;
      phase = next;
      announce({ op: "resync" });
      return { phase, phases: ["revealed"] };
    },
    watch(handler) {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
  };
  return {
    collection,
    requests,
    announce,
    refuse: (error: EaselError) => {
      fault = error;
    },
    switchTo(next: string | null) {
      phase = next;
      announce({ op: "resync" });
    },
  };
}

test("a switch is shown at once, and one of another page when it is announced", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { collection, requests, switchTo } = fakeCollection();
  const live = createLivePhase(collection);
  const close = live.subscribe(() => {});
  await settle(t, 300);
  assert.deepEqual(live.getState().data, { phase: null, phases: ["revealed"] });
  const switched = live.setPhase("revealed");
  assert.equal(live.getState().data?.phase, "revealed");
  await switched;
  await settle(t, 300);
  switchTo(null);
  await settle(t, 300);
  assert.equal(live.getState().data?.phase, null);
  assert.ok(requests.includes("set revealed"));
  close();
});

test("changes of records do not read the phase", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { collection, requests, announce } = fakeCollection();
  createLivePhase(collection).subscribe(() => {});
  await settle(t, 300);
  requests.splice(0);
  announce({ op: "set", id: "r-1" } as RecordChange);
  await settle(t, 300);
  assert.deepEqual(requests, []);
});

test("a refused switch is taken back, and its error shown", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { collection, refuse } = fakeCollection();
  const live = createLivePhase(collection);
  live.subscribe(() => {});
  await settle(t, 300);
  const error = { code: "PERMISSION_DENIED" } as EaselError;
  refuse(error);
  await assert.rejects(live.setPhase("revealed"), error);
  await settle(t, 300);
  assert.deepEqual([live.getState().data?.phase, live.getState().error], [null, error]);
});
