import assert from "node:assert/strict";
import { test } from "node:test";

type Place = [x: number, y: number];

/** The members of the outbox (`cursors/outbox.js`) that the test uses. */
interface Outbox {
  open: boolean;
  move(place: Place): void;
  ping(place: Place): void;
  rest(): void;
}

type Send = (event: string, data: { path: Place[] }) => void;

test("a pointer in constant motion stays within 100 messages a minute, and its pings are not delayed", async (t) => {
  const { href } = new URL("cursors/outbox.js", import.meta.url);
  const { createOutbox }: { createOutbox(send: Send, clock: () => number): Outbox } = await import(href);
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const sent: { at: number; event: string; path: Place[] }[] = [];
  const outbox = createOutbox((event, { path }) => sent.push({ at: Date.now(), event, path }), Date.now);
  const pings: number[] = [];
  const go = (ms: number, pingEvery = ms) => {
    for (let gone = 0; gone < ms; gone += 10) {
      outbox.move([gone / ms, 0.5]);
      if (gone > 0 && gone % pingEvery === 0 && pings.push(Date.now())) outbox.ping([0.5, 0.5]);
      t.mock.timers.tick(10);
    }
  };
  outbox.open = true;
  go(120_000);
  go(10_000, 200);
  go(120_000, 7_000);
  go(120_000);
  for (const { at, path } of sent) {
    const within = sent.filter((each) => each.at >= at && each.at < at + 60_000).length;
    assert.ok(within <= 100, `${within} in a minute`);
    assert.ok(path.length <= 16);
  }
  assert.ok(sent.length >= (370 / 60) * 85, `${sent.length} at all`);
  const late = (ping: number) =>
    (sent.find(({ at, event }) => at >= ping && event === "ping")?.at ?? 0) - ping;
  for (const ping of pings) assert.ok(late(ping) >= 0 && late(ping) <= 700, `${late(ping)} ms`);

  // After a refusal, and without a connection, the outbox sends nothing. Afterwards it sends the current position.
  for (const [begin, end] of [
    [() => outbox.rest(), () => {}],
    [() => Object.assign(outbox, { open: false }), () => Object.assign(outbox, { open: true })],
  ] as const) {
    sent.length = 0;
    begin();
    go(14_000);
    assert.equal(sent.length, 0);
    outbox.move([0.125, 0.25]);
    end();
    t.mock.timers.tick(2_000);
    assert.deepEqual(
      sent.map(({ event, path }) => [event, path.at(-1)]),
      [["move", [0.125, 0.25]]],
    );
  }
});
