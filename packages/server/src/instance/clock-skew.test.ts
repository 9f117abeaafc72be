import assert from "node:assert/strict";
import { test } from "node:test";
import { ClockSkew } from "./clock-skew.ts";

/** A clock that is compared with a database's, and what is told about it. */
function compare() {
  let ahead = 0;
  const told: string[] = [];
  const skew = new ClockSkew({
    db: { get: async <Row>() => ({ now: Date.now() }) as Row },
    clock: () => Date.now() + ahead,
    log: { warn: (_, message) => told.push(message) },
  });
  return {
    /** Sets by how many milliseconds the clock is ahead. Returns the line of the log that this causes, if any. */
    async by(ms: number): Promise<string | undefined> {
      ahead = ms;
      const measured = await skew.measure();
      // The round trip makes the difference uncertain; what is told is at most the true one.
      assert.ok(Math.abs(measured) <= Math.abs(ms), `${measured} of ${ms}`);
      return told.splice(0).at(0);
    },
  };
}

test("a difference is told once, again when it has changed, and when it is over", async () => {
  const { by } = compare();
  assert.equal(await by(400), undefined);
  assert.match((await by(60_000)) ?? "", /^the clock of this node is \d{5} ms ahead of that of the database/);
  assert.equal(await by(60_100), undefined);
  assert.match((await by(-60_000)) ?? "", /^the clock of this node is \d{5} ms behind that of the database/);
  assert.equal(await by(-60_000), undefined);
  assert.match((await by(0)) ?? "", /agrees/);
  assert.equal(await by(0), undefined);
});
