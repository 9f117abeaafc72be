import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import type { CallLogPage } from "@easel/protocol/management";
import { Refusal } from "../src/api/refusal.ts";
import type { Service } from "../src/api/service.ts";
import { follow } from "../src/canvas/logs.ts";
import { Failure } from "../src/exit.ts";
import { createTerminal } from "../src/terminal/terminal.ts";

const callOf = (requestId: string) => ({
  at: 0,
  method: "GET",
  route: "/kv",
  status: 404,
  code: null,
  message: null,
  userId: null,
  requestId,
  pageError: null,
  userName: null,
});

/** Returns a page with these calls, whose cursor is `next`. */
const page = (next: string, ids: string[], dropped = 0): CallLogPage => ({
  entries: ids.map(callOf),
  next,
  dropped,
});
const unreachable = new Failure("It cannot be reached.", { exit: "unreachable" });

/** Follows a log; the requests have the given outcomes. Returns the output, the cursors of the requests, and the pauses between them. */
async function followed(outcomes: (CallLogPage | Error)[]) {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const { signal } = new AbortController();
  const terminal = createTerminal(streams, { env: {}, signal });
  terminal.json = true;
  const cursors: unknown[] = [];
  const pauses: number[] = [];
  const api = {
    async GET(_: string, { params }: { params: { query: { after: string } } }) {
      cursors.push(params.query.after);
      const outcome = outcomes.shift() ?? assert.fail("the end");
      if (outcome instanceof Error) throw outcome;
      return { data: outcome };
    },
  };
  const service = { url: "https://easel.example", api } as unknown as Service;
  const pause = async (ms: number) => void pauses.push(ms);
  const error = await follow("id", "0-0", service, { terminal, signal }, pause).catch(
    (thrown: Error) => thrown,
  );
  const printed = (stream: PassThrough) => text(stream.end()).then((all) => all.trimEnd());
  const ids = (await printed(streams.stdout))
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line).requestId);
  return { error, ids, said: await printed(streams.stderr), cursors, pauses };
}

test("each call is printed once, and the next request begins after it", async () => {
  const { ids, cursors } = await followed([page("2-0", ["a", "b"]), page("2-0", []), page("3-0", ["c"])]);
  assert.deepEqual(
    [ids, cursors],
    [
      ["a", "b", "c"],
      ["0-0", "2-0", "2-0", "3-0"],
    ],
  );
});

test("pauses grow while there is nothing new, up to a limit", async () => {
  const { pauses } = await followed([...Array(6).fill(page("0-0", [])), page("1-0", ["a"])]);
  assert.deepEqual(pauses, [1000, 1500, 2250, 3375, 5000, 5000, 5000, 1000]);
});

test("an outage is reported once, and no call is lost or printed twice", async () => {
  const busy = new Refusal(503, { code: "UNAVAILABLE", message: "Busy." });
  const { ids, said, cursors, pauses } = await followed([
    page("1-0", ["a"]),
    unreachable,
    busy,
    page("2-0", ["b"]),
  ]);
  assert.deepEqual(
    [ids, cursors],
    [
      ["a", "b"],
      ["0-0", "1-0", "1-0", "1-0", "2-0"],
    ],
  );
  assert.equal(said, "It cannot be reached. Trying again…\nhttps://easel.example answers again.");
  assert.deepEqual(pauses, [1000, 1000, 2000, 4000, 1000]);
});

test("calls that were not logged are counted", async () => {
  assert.equal((await followed([page("1-9", ["a"], 9)])).said, "9 further calls came too fast to be logged.");
});

test("other errors end the command", async () => {
  for (const status of [401, 403, 404]) {
    const { error } = await followed([new Refusal(status, {})]);
    assert.equal((error as Refusal).status, status);
  }
});
