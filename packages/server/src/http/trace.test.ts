import assert from "node:assert/strict";
import { test } from "node:test";
import { childTraceparent, traceOf } from "./trace.ts";

const ID = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";
const of = (traceparent?: string) => traceOf({ headers: traceparent === undefined ? {} : { traceparent } });

test("a trace is taken from a `traceparent` that is exactly as the standard says", () => {
  assert.deepEqual(of(`00-${ID}-${SPAN}-01`), { id: ID, flags: "01" });
  assert.deepEqual(of(`00-${ID}-${SPAN}-00`), { id: ID, flags: "00" });
  // A later version may have more.
  assert.deepEqual(of(`cc-${ID}-${SPAN}-01-what-comes`), { id: ID, flags: "01" });
  for (const given of [
    undefined,
    "",
    `00-${ID}-${SPAN}`,
    `00-${ID}-${SPAN}-01-more`,
    `ff-${ID}-${SPAN}-01`,
    `00-${ID.toUpperCase()}-${SPAN}-01`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${ID}-${"0".repeat(16)}-01`,
    ` 00-${ID}-${SPAN}-01`,
    `00-${ID}-${SPAN}-01, 00-${ID}-${SPAN}-01`,
    `00-${ID}-${SPAN}-01\n`,
    `cc-${ID}-${SPAN}-01-${"x".repeat(201)}`,
    `00-${ID}"}{-${SPAN}-01`,
  ])
    assert.equal(of(given), null, String(given));
});

test("what the service sends has the same trace, a span of its own, and only the flag `sampled`", () => {
  const [one, other] = [childTraceparent({ id: ID, flags: "ff" }), childTraceparent({ id: ID, flags: "02" })];
  assert.match(one, new RegExp(`^00-${ID}-[0-9a-f]{16}-01$`));
  assert.match(other, new RegExp(`^00-${ID}-[0-9a-f]{16}-00$`));
  assert.notEqual(one.slice(0, 52), other.slice(0, 52));
  assert.ok(!one.includes(SPAN));
});
