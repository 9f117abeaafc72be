import assert from "node:assert/strict";
import { test } from "node:test";
import { RateMeter } from "../../server/src/primitives/realtime/frame-queue.ts";
import { createPacer, type Source } from "../src/realtime/pacer.ts";
import type { Subscriber } from "../src/realtime/socket.ts";
import { stopTime } from "./paced-page.ts";

/** Returns a function that returns pseudorandom numbers from 0 to 1. The same seed gives the same numbers. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Traffic {
  /** The maximum delay of a message in the network, in ms. The minimum is 0. */
  jitter: number;
  /** The number of messages a minute that the page publishes directly, without the pacer. */
  direct: number;
  /** The average time between lost connections, in ms. */
  lossEvery: number;
}

const STEP_MS = 50;
const MINUTES = 10;

/**
 * Simulates ten minutes of a page that always has values to send, and the rate limit of the service, which counts each message when it
 * arrives. Returns how many messages the pacer has sent, and how many of them the service has refused.
 */
function simulate(time: ReturnType<typeof stopTime>, seed: number, { jitter, direct, lossEvery }: Traffic) {
  const random = randomOf(seed);
  let meter = new RateMeter(100);
  let isOpen = true;
  let arrival = 0;
  let delay = 0;
  let [sent, refused] = [0, 0];

  /** Lets a message arrive at the service, never before the messages that were sent earlier. Returns true if the service refuses it. */
  const deliver = () => {
    arrival = Math.max(arrival, time.now() + delay);
    return meter.count("publish", arrival) !== "allowed";
  };
  const pacer = createPacer(
    () => isOpen,
    () => {
      pacer.count();
      sent++;
      if (deliver()) refused++;
    },
  );
  const source: Source = { owner: {} as Subscriber, contents: ["1"], frame: (content) => content };
  // The delay rises and falls, at times at once, as when a phone changes its network.
  for (let passed = 0; passed < MINUTES * 60_000; passed += STEP_MS) {
    if (random() < 0.02) delay = random() < 0.5 ? 0 : random() * jitter;
    if (isOpen && random() < STEP_MS / lossEvery) isOpen = false;
    else if (!isOpen && random() < 0.05) {
      isOpen = true;
      meter = new RateMeter(100);
      meter.count("other", time.now());
      pacer.resume();
    }
    if (isOpen && random() < (direct * STEP_MS) / 60_000) {
      pacer.count();
      deliver();
    }
    if (source.contents.length === 0) source.contents.push("1");
    pacer.add(source);
    time.pass(STEP_MS, STEP_MS);
  }
  return { sent, refused };
}

const TRAFFIC: [name: string, traffic: Traffic][] = [
  ["on a steady network", { jitter: 0, direct: 0, lossEvery: Number.POSITIVE_INFINITY }],
  ["with jitter", { jitter: 300, direct: 0, lossEvery: Number.POSITIVE_INFINITY }],
  ["with stalls of five seconds", { jitter: 4_900, direct: 0, lossEvery: Number.POSITIVE_INFINITY }],
  ["across reconnects", { jitter: 4_900, direct: 0, lossEvery: 30_000 }],
  ["beside direct messages", { jitter: 4_900, direct: 40, lossEvery: 60_000 }],
  ["beside too many direct messages", { jitter: 4_900, direct: 150, lossEvery: 60_000 }],
];

for (const [name, traffic] of TRAFFIC)
  test(`the service refuses no paced message ${name}`, (t) => {
    const time = stopTime(t);
    for (const seed of [1, 2, 3]) {
      const { sent, refused } = simulate(time, seed, traffic);
      assert.equal(refused, 0);
      // At full pace 92 messages a minute; direct messages and lost connections take from that.
      if (traffic.direct === 0 && traffic.lossEvery > 60_000) assert.ok(sent >= 90 * MINUTES, `${sent}`);
    }
  });
