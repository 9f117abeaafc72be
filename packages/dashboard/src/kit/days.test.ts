import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dayName, daysBetween, lastDays, utcDay } from "./days.ts";

describe("days", () => {
  it("a range has its first and its last day, also over the end of a month and a change of the clock", () => {
    assert.deepEqual(daysBetween("2024-02-28", "2024-03-01"), ["2024-02-28", "2024-02-29", "2024-03-01"]);
    assert.deepEqual(daysBetween("2026-03-29", "2026-03-29"), ["2026-03-29"]);
    assert.equal(daysBetween("2026-01-01", "2026-12-31").length, 365);
  });

  it("a range that ends before it begins or is no range has no day, and one without end has 400", () => {
    assert.deepEqual(daysBetween("2026-03-02", "2026-03-01"), []);
    assert.deepEqual(daysBetween("now", "2026-03-01"), []);
    assert.equal(daysBetween("1970-01-01", "9999-12-31").length, 400);
  });

  it("a day has a name, and a time is of a day (UTC)", () => {
    assert.equal(dayName("2026-01-07"), "7 Jan");
    assert.equal(dayName("2026-01-07", true), "7 Jan 2026");
    assert.equal(utcDay(Date.parse("2026-01-07T23:59:59Z")), "2026-01-07");
    const range = lastDays(30, Date.parse("2026-03-01T12:00:00Z"));
    assert.deepEqual(range, { from: "2026-01-31", to: "2026-03-01" });
    assert.equal(daysBetween(range.from, range.to).length, 30);
  });
});
