import assert from "node:assert/strict";
import { it } from "node:test";
import { fromLocal, toLocal } from "./local-time.ts";

it("a time is the value of a field for local times, and back", () => {
  const at = new Date(2027, 2, 3, 7, 5).getTime();
  assert.equal(toLocal(at), "2027-03-03T07:05");
  assert.equal(fromLocal("2027-03-03T07:05"), at);
  assert.equal(fromLocal(toLocal(at + 59_999)), at);
  for (const none of ["", "soon"]) assert.equal(fromLocal(none), null);
});
