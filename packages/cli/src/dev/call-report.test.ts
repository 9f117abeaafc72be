import assert from "node:assert/strict";
import { test } from "node:test";
import { callLine, Report } from "./call-report.ts";

const call = { method: "PUT", path: "/kv/x", status: 403 };

test("a refused call is one line", () => {
  const body = JSON.stringify({ code: "CAPABILITY_DISABLED", message: "KV is off.", hint: "Turn it on." });
  assert.equal(
    callLine(call, body, "Ada"),
    "PUT /kv/x 403 CAPABILITY_DISABLED (Ada): KV is off. Turn it on.",
  );
  for (const text of ["", "<html>", "null", "[]", '{"code":1,"message":{}}'])
    assert.equal(callLine(call, text, null), "PUT /kv/x 403 (signed out)");
});

test("equal lines are counted, control characters are replaced, and the number of lines is limited", () => {
  const printed: string[] = [];
  const report = new Report((line) => printed.push(line));
  for (let time = 0; time < 4; time++) report.add("a\u001b[31m");
  report.add("b");
  report.close();
  assert.deepEqual(printed, ["a\ufffd[31m", "b", "a\ufffd[31m (3 more)"]);
  printed.length = 0;
  for (let number = 0; number < 1000; number++) report.add(`line ${number}`);
  assert.equal(printed.length, 200);
  report.close();
});
