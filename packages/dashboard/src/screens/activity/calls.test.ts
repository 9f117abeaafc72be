import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Call } from "../../api/types.ts";
import { callerOf, choicesOf, joined, nameOf, placeOf, rowsOf, titleOf } from "./calls.ts";

const call = (fields: Partial<Call> = {}): Call => ({
  at: 0,
  method: "GET",
  route: "/kv/a",
  status: 403,
  code: "PERMISSION_DENIED",
  message: null,
  userId: "u-bo",
  userName: "Bo",
  requestId: "req-1",
  pageError: null,
  ...fields,
});

describe("the list of calls", () => {
  it("has the newest first, with ids that stay when others come", () => {
    const log = [call(), call({ requestId: "socket" }), call({ requestId: "socket" })];
    const ids = rowsOf(log).map(({ id }) => id);
    assert.deepEqual(ids, ["socket.1", "socket", "req-1"]);
    assert.equal(rowsOf(log)[0], rowsOf(log.slice())[0], "a row that stays is not drawn again");
    assert.deepEqual(
      rowsOf([...log, call({ requestId: "req-2" })]).map(({ id }) => id),
      ["req-2", ...ids],
    );
  });

  it("the filters count, the most frequent first, and keep what is chosen", () => {
    const rows = [
      call(),
      call({ code: null, status: 4429, userId: null, userName: null }),
      call({ userId: "u-gone", userName: null }),
      call(),
    ];
    assert.deepEqual(choicesOf(rows, { code: "KEY_LIMIT", person: "" }), {
      codes: [
        { value: "PERMISSION_DENIED", label: "PERMISSION_DENIED (3)" },
        { value: "4429", label: "4429 (1)" },
        { value: "KEY_LIMIT", label: "KEY_LIMIT (0)" },
      ],
      people: [
        { value: "u-bo", label: "Bo (2)" },
        { value: "anonymous", label: "Not signed in (1)" },
        { value: "u-gone", label: "Somebody who has left (1)" },
      ],
    });
    assert.deepEqual(choicesOf(rows, { code: "4429", person: "" }).codes.length, 2);
  });

  it("says who called, and what the details answer", () => {
    assert.equal(callerOf(call()), "Bo");
    assert.equal(titleOf(call()), "Why \u2068Bo\u2069 was refused");
    assert.equal(titleOf(call({ status: 500 })), "Why a call of \u2068Bo\u2069 failed");
    assert.equal(
      titleOf(call({ userId: null, userName: null, status: 4401 })),
      "Why somebody who is not signed in was refused",
    );
    assert.equal(titleOf(call({ userName: null })), "Why somebody was refused");
  });

  it("says what went wrong in a page, and where", () => {
    const pageError = { page: "/menu.html", source: null, line: 3, column: null, count: 1, preview: false };
    const error = call({ code: "SCRIPT_ERROR", message: "no cup", status: 204, pageError });
    assert.equal(titleOf(error), "A script of the page failed");
    assert.equal(titleOf({ ...error, code: "toString" }), "Something went wrong in the page");
    assert.deepEqual([nameOf(error), nameOf(call())], ["no cup", "GET /kv/a"]);
    assert.equal(placeOf(pageError), "/menu.html, line 3");
    assert.equal(placeOf({ ...pageError, source: "/app.js", column: 1 }), "/app.js, line 3, column 1");
    assert.equal(placeOf({ ...pageError, line: null }), null);
  });

  it("a page after a log is added at its end, and the oldest calls beyond the limit go", () => {
    const log = {
      entries: Array.from({ length: 2_500 }, (_, at) => call({ at })),
      next: "2500-0",
      dropped: 1,
    };
    const { entries, next, dropped } = joined(log, {
      entries: [call({ at: 9_999 })],
      next: "2501-2",
      dropped: 2,
    });
    assert.deepEqual([entries.length, entries[0]?.at, entries.at(-1)?.at], [2_500, 1, 9_999]);
    assert.deepEqual([next, dropped], ["2501-2", 3]);
  });
});
