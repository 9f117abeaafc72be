import assert from "node:assert/strict";
import { test } from "node:test";
import { createEasel, NotFoundError } from "../src/index.ts";
import { fakeFetch, page } from "./support.ts";

function answered(body: unknown, status = 200) {
  const { fetch, calls } = fakeFetch(() => Response.json(body, { status }));
  return { ...createEasel({ ...page, fetch }), calls };
}

const invalid = { name: "EaselError", code: "INVALID_BODY", status: 400 };

test("each call sends one request of the contract", async () => {
  const answer = { userId: "u-1", value: null, updatedAt: 1, entries: [], nextCursor: null };
  const { submissions, calls } = answered(answer);
  assert.deepEqual(await submissions.set("lunch", null), answer);
  assert.deepEqual(await submissions.get("lunch"), answer);
  assert.equal(await submissions.delete("lunch"), undefined);
  assert.deepEqual(await submissions.list("lunch"), answer);
  await submissions.list("lunch", { cursor: "u-1", limit: 2 });
  assert.equal(await submissions.remove("lunch", "guest:u-2"), undefined);
  assert.equal(await submissions.clear("lunch"), undefined);
  assert.deepEqual(
    calls.map(({ path, init }) => [init.method, path, init.body]),
    [
      ["PUT", "/submissions/lunch/mine", "null"],
      ["GET", "/submissions/lunch/mine?optional=true", undefined],
      ["DELETE", "/submissions/lunch/mine", undefined],
      ["GET", "/submissions/lunch", undefined],
      ["GET", "/submissions/lunch?cursor=u-1&limit=2", undefined],
      ["DELETE", "/submissions/lunch/guest%3Au-2", undefined],
      ["DELETE", "/submissions/lunch", undefined],
    ],
  );
});

test("`get` resolves with undefined if there is no submission, and throws for every other 404", async () => {
  assert.equal(await answered({ code: "NOT_FOUND" }, 404).submissions.get("lunch"), undefined);
  await assert.rejects(answered({ code: "OWNER_ONLY" }, 404).submissions.get("lunch"), NotFoundError);
});

test("invalid arguments are refused before anything is sent", async () => {
  const { submissions, calls } = answered({});
  for (const name of ["", ".", "..", "\ud800"]) await assert.rejects(submissions.get(name), invalid);
  for (const id of ["", "..", "mine"]) await assert.rejects(submissions.remove("lunch", id), invalid);
  assert.deepEqual(calls, []);
});
