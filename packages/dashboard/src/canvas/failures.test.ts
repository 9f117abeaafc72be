import assert from "node:assert/strict";
import { it } from "node:test";
import { failuresOf } from "./failures.ts";

const NOW = Date.UTC(2026, 5, 2);
const call = (code: string | null, hoursAgo: number, message: string | null = null) => ({
  at: NOW - hoursAgo * 3_600_000,
  method: "GET",
  route: "/kv",
  status: 500,
  code,
  message,
  userId: null,
  requestId: "r",
  pageError: null,
  userName: null,
});

it("the failures of the last day are counted by code, the most frequent first", () => {
  const entries = [
    call("NOT_FOUND", 25),
    call("NOT_FOUND", 23, "old"),
    call("KEY_LIMIT", 3),
    call(null, 2),
    call("NOT_FOUND", 1, "new"),
  ];
  assert.deepEqual(failuresOf(entries, NOW), [
    { code: "NOT_FOUND", message: "new", count: 2 },
    { code: "KEY_LIMIT", message: null, count: 1 },
    { code: "500", message: null, count: 1 },
  ]);
  assert.deepEqual(failuresOf([], NOW), []);
  const pageError = { page: "/", source: null, line: null, column: null, count: 40, preview: false };
  const errors = [call("SCRIPT_ERROR", 2, "no cup"), call("SCRIPT_ERROR", 1, "no tea")];
  assert.deepEqual(
    failuresOf(
      errors.map((each) => ({ ...each, pageError })),
      NOW,
    ),
    [{ code: "SCRIPT_ERROR", message: "no tea", count: 80 }],
  );
});
