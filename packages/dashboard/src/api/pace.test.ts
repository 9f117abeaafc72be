import assert from "node:assert/strict";
import { it } from "node:test";
import { createPace } from "./pace.ts";

const NOW = Date.UTC(2026, 5, 2);

/** The headers of a response of a service whose clock is `skew` ms ahead. */
const headers = (remaining: number, resetIn: number, skew = 0) =>
  new Headers({
    date: new Date(NOW + skew).toUTCString(),
    "x-ratelimit-limit": "120",
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String((NOW + skew + resetIn) / 1_000),
  });

it("nothing waits before the first response, nor without a rate limit", () => {
  const pace = createPace();
  for (let sent = 0; sent < 500; sent++) assert.equal(pace.take("read", NOW), null);
  for (let sent = 0; sent < 500; sent++) pace.answered(new Headers(), NOW);
  pace.answered(null, NOW);
  assert.equal(pace.take("read", NOW), null);
});

it("reads wait for the next window when fewer than ten requests are left, writes when none is", () => {
  const pace = createPace();
  pace.take("read", NOW);
  pace.answered(headers(11, 30_000), NOW);
  assert.equal(pace.take("read", NOW), null);
  assert.equal(pace.take("read", NOW), null);
  assert.equal(pace.take("read", NOW), NOW + 30_000);
  for (let sent = 0; sent < 9; sent++) assert.equal(pace.take("write", NOW), null);
  assert.equal(pace.take("write", NOW), NOW + 30_000);
});

it("what is under way counts, as if the service had not counted it yet", () => {
  const pace = createPace();
  for (let sent = 0; sent < 21; sent++) pace.take("read", NOW);
  pace.answered(headers(29, 30_000), NOW);
  assert.equal(pace.take("read", NOW), NOW + 30_000);
});

it("the next window has the whole limit, less what is under way", () => {
  const pace = createPace();
  for (let sent = 0; sent < 3; sent++) pace.take("read", NOW);
  pace.answered(headers(0, 20_000), NOW);
  assert.equal(pace.take("write", NOW), NOW + 20_000);
  const next = NOW + 20_000;
  let sent = 0;
  while (pace.take("write", next) === null) sent++;
  assert.equal(sent, 118);
});

it("the clock of the service may differ from that of the browser, and no wait is longer than a minute", () => {
  for (const skew of [-86_400_000, 86_400_000]) {
    const pace = createPace();
    pace.take("read", NOW);
    pace.answered(headers(0, 30_000, skew), NOW);
    assert.equal(pace.take("read", NOW), NOW + 30_000);
  }
  const pace = createPace();
  pace.take("read", NOW);
  pace.answered(headers(0, 3_600_000), NOW);
  assert.equal(pace.take("read", NOW), NOW + 60_000);
});
