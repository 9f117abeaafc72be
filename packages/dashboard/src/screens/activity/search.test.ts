import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseActivitySearch, rangeOf } from "./search.ts";

const parse = (raw: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(parseActivitySearch(raw)).filter(([, value]) => value !== undefined));

describe("the address of the activity", () => {
  it("keeps what it knows", () => {
    const all = {
      view: "calls",
      what: "sharing",
      code: "KEY_LIMIT",
      person: "anonymous",
      open: "req-1.0",
      follow: true,
      from: "2026-01-31",
      to: "2026-02-28",
    };
    assert.deepEqual(parse(all), all);
    assert.deepEqual(parse({ code: 404, view: "changes" }), { code: "404" });
  });

  it("drops what it does not know", () => {
    const strange = {
      view: "toString",
      what: "all",
      code: ["x"],
      person: "",
      open: {},
      follow: "yes",
      other: 1,
    };
    assert.deepEqual(parse(strange), {});
    assert.deepEqual(parse({ from: "2026-02-31x", to: "yesterday" }), {});
    assert.deepEqual(parse({ from: "2026-13-01", to: 20260101 }), {});
    assert.equal(parse({ code: "x".repeat(500) }).code?.length, 200);
  });

  it("the figures are those of 30 days, unless it says otherwise", () => {
    const now = Date.parse("2026-03-01T12:00:00Z");
    assert.deepEqual(rangeOf({}, now), { from: "2026-01-31", to: "2026-03-01" });
    assert.deepEqual(rangeOf({ to: "2026-01-30" }, now), { from: "2026-01-01", to: "2026-01-30" });
    assert.deepEqual(rangeOf({ from: "2025-01-01" }, now), { from: "2025-01-01", to: "2026-03-01" });
  });
});
