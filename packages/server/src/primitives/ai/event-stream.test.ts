import assert from "node:assert/strict";
import { once } from "node:events";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { until } from "@easel/conformance/patience";
import { EventStream } from "./event-stream.ts";

const KEEP_ALIVE = ": keep-alive\n\n";
/** An interval between keep-alives that is longer than any test. */
const NEVER_MS = 1_000_000;

/** An event of about 1,000 bytes. */
const BIG = { text: "x".repeat(1_000) };

/** Counts how often a stream calls `onClose`. */
function counter() {
  const counted = { closed: 0, onClose: async () => void counted.closed++ };
  return counted;
}

/** Returns an iterator of events, and functions with which the test sends the next event, ends the iterator or lets it fail. */
function released() {
  const waiting: PromiseWithResolvers<IteratorResult<object>>[] = [];
  const events: AsyncIterator<object> = {
    next() {
      const next = Promise.withResolvers<IteratorResult<object>>();
      waiting.push(next);
      return next.promise;
    },
  };
  const next = async () => {
    await until("an event is taken", () => waiting.length > 0);
    return waiting.shift() as PromiseWithResolvers<IteratorResult<object>>;
  };
  return {
    events,
    send: async (value: object) => (await next()).resolve({ value, done: false }),
    end: async () => (await next()).resolve({ value: undefined, done: true }),
    fail: async (error: Error) => (await next()).reject(error),
  };
}

/** A client that takes one chunk and no more until `release` is called. */
class SlowClient extends Writable {
  received = "";
  #pass: (() => void) | null = null;

  constructor() {
    super({ highWaterMark: 1 });
  }

  override _write(chunk: Buffer, _: BufferEncoding, callback: () => void): void {
    this.received += chunk;
    if (this.#pass === null) this.#pass = callback;
    else callback();
  }

  release(): void {
    this.#pass?.();
  }
}

describe("the text of an event stream", () => {
  it("has a line `data:` with JSON and an empty line for each event", async () => {
    const values = [{ type: "delta", text: 'a\n\n"é\r\u2028😀' }, {}, { type: "done" }];
    async function* events() {
      yield* values;
    }
    const received = await text(new EventStream(events(), async () => {}, NEVER_MS));
    assert.equal(received, values.map((each) => `data: ${JSON.stringify(each)}\n\n`).join(""));
    assert.equal(received.split("\n").length, 2 * values.length + 1);
  });

  it("calls onClose once, when the events have ended", async () => {
    const counted = counter();
    const { events, end } = released();
    const stream = new EventStream(events, counted.onClose, NEVER_MS).resume();
    await turn();
    assert.equal(counted.closed, 0);
    await end();
    await once(stream, "close");
    stream.destroy();
    await turn();
    assert.equal(counted.closed, 1);
  });

  it("calls onClose once, when it is destroyed, and then takes no event", async () => {
    const counted = counter();
    const { events, send } = released();
    const stream = new EventStream(events, counted.onClose, NEVER_MS).resume();
    await turn();
    stream.destroy();
    stream.destroy();
    await once(stream, "close");
    await send({ late: true });
    await turn();
    assert.equal(counted.closed, 1);
    assert.equal(stream.readableLength, 0);
  });

  it("closes only when onClose has ended", async () => {
    const settled = Promise.withResolvers<void>();
    const { events } = released();
    const stream = new EventStream(events, () => settled.promise, NEVER_MS).resume();
    let closed = false;
    stream.once("close", () => {
      closed = true;
    });
    stream.destroy();
    for (let each = 0; each < 5; each++) await turn();
    assert.equal(closed, false);
    settled.resolve();
    await once(stream, "close");
  });

  it("is destroyed by an error of the events, and by one of onClose", async () => {
    const counted = counter();
    const { events, fail } = released();
    const stream = new EventStream(events, counted.onClose, NEVER_MS).resume();
    const failed = once(stream, "error");
    await fail(new Error("broken events"));
    assert.match(String(await failed), /broken events/);
    assert.equal(counted.closed, 1);

    const other = released();
    const unsettled = new EventStream(
      other.events,
      async () => Promise.reject(new Error("unsettled")),
      NEVER_MS,
    );
    const ended = once(unsettled.resume(), "error");
    await other.end();
    assert.match(String(await ended), /unsettled/);
  });
});

describe("a slow client", () => {
  it("no event is taken while 16 KiB wait", async () => {
    let taken = 0;
    async function* events() {
      for (;;) {
        taken++;
        yield BIG;
      }
    }
    const stream = new EventStream(events(), async () => {}, NEVER_MS);
    stream.read(0);
    await until("16 KiB wait", () => stream.readableLength >= 16 * 1024);
    const full = taken;
    for (let each = 0; each < 10; each++) await turn();
    assert.equal(taken, full);
    assert.ok(full <= 17, `${full} events`);
    stream.read();
    await until("more are taken", () => taken > full);
    stream.destroy();
  });

  it("ends the events when it goes away before it has taken them", async () => {
    let ended = false;
    async function* events() {
      try {
        for (;;) yield BIG;
      } finally {
        ended = true;
      }
    }
    const stream = new EventStream(events(), async () => {}, NEVER_MS);
    stream.read(0);
    await until("16 KiB wait", () => stream.readableLength >= 16 * 1024);
    stream.destroy();
    await once(stream, "close");
    await until("the events have ended", () => ended);
  });
});

describe("keep-alive comments", () => {
  it("are sent while no event comes, between whole events", async () => {
    const { events, send, end } = released();
    const stream = new EventStream(events, async () => {}, 1);
    const received: string[] = [];
    stream.on("data", (chunk) => received.push(String(chunk)));
    const beats = (count: number) =>
      until("keep-alives", () => received.filter((each) => each === KEEP_ALIVE).length >= count);
    await beats(2);
    await send({ n: 1 });
    await until("the event", () => received.includes('data: {"n":1}\n\n'));
    await beats(received.length + 2);
    await end();
    await once(stream, "close");
    const rest = received.filter((each) => each !== KEEP_ALIVE);
    assert.deepEqual(rest, ['data: {"n":1}\n\n']);
  });

  it("wait for a client that has not read the last one", async () => {
    const { events } = released();
    const stream = new EventStream(events, async () => {}, 1);
    await until("a keep-alive waits", () => stream.readableLength > 0);
    await sleep(20);
    assert.equal(stream.readableLength, KEEP_ALIVE.length);
    assert.equal(String(stream.read()), KEEP_ALIVE);
    await until("the next one waits", () => stream.readableLength > 0);
    stream.destroy();
  });

  it("stop at the end, also for a client that has not read the last event", async () => {
    async function* events() {
      yield { n: 1 };
    }
    const stream = new EventStream(events(), async () => {}, 20);
    const client = new SlowClient();
    const ended = Promise.race([once(client, "finish"), once(stream, "error")]);
    stream.pipe(client);
    await sleep(40);
    client.release();
    await ended;
    assert.equal(stream.errored, null);
    assert.equal(client.received, 'data: {"n":1}\n\n');
  });

  it("stop when the stream is destroyed", () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    const stream = new EventStream(released().events, async () => {}, NEVER_MS);
    assert.equal(timers(), before + 1);
    stream.destroy();
    assert.equal(timers(), before);
  });
});
