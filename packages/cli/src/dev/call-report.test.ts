import assert from "node:assert/strict";
import { test } from "node:test";
import { Report } from "./call-report.ts";

/** Returns the lines that a report prints for one call. */
function linesOf(...call: Parameters<Report["addCall"]>): string[] {
  const lines: string[] = [];
  const report = new Report((line) => lines.push(line));
  report.addCall(...call);
  report.close();
  return lines;
}

const call = { method: "PUT", path: "/kv/x", status: 403 };

test("a refused call is one line", () => {
  const body = JSON.stringify({ code: "CAPABILITY_DISABLED", message: "KV is off.", hint: "Turn it on." });
  assert.deepEqual(linesOf(call, body, "Ada"), ["PUT /kv/x 403 CAPABILITY_DISABLED (Ada): Turn it on."]);
  for (const text of ["", "<html>", "null", "[]", '{"code":1,"message":{}}'])
    assert.deepEqual(linesOf(call, text, null), ["PUT /kv/x 403 (signed out)"]);
});

test("a read of a key that does not exist is no line", () => {
  const body = JSON.stringify({ code: "NOT_FOUND" });
  const lines = (method: string, path: string, text = body) =>
    linesOf({ method, path, status: 404 }, text, null);
  for (const path of ["/kv/x", "/kv/user/a%2Fb", "/kv/x?y=/"]) assert.deepEqual(lines("GET", path), []);
  assert.equal(lines("DELETE", "/kv/x").length, 1);
  assert.equal(lines("GET", "/kv/x", JSON.stringify({ code: "OWNER_ONLY" })).length, 1);
  for (const path of ["/kv/x/y/z", "/teapots", "/files/1"]) assert.equal(lines("GET", path).length, 1);
});

test("equal lines are counted, control characters are replaced, and the number of lines is limited", () => {
  const printed: string[] = [];
  const report = new Report((line) => printed.push(line));
  for (let time = 0; time < 4; time++) report.add("a\u001b[31m");
  report.add("b");
  report.close();
  assert.deepEqual(printed, ["a\\u001b[31m", "b", "a\\u001b[31m (3 more)"]);
  printed.length = 0;
  const long = new Report((line) => printed.push(line));
  for (let number = 0; number < 1000; number++) long.add(`line ${number}`);
  assert.equal(printed.length, 200);
  long.close();
});

test("nothing is printed once the report is closed", () => {
  const printed: string[] = [];
  const report = new Report((line) => printed.push(line));
  report.close();
  report.add("GET /v1/c/app/kv/x failed: connect ECONNREFUSED");
  assert.deepEqual(printed, []);
});
