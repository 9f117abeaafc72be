import assert from "node:assert/strict";
import { it } from "node:test";
import type { ConnectionProfile } from "../../../api/types.ts";
import { bodyOfDraft, type Draft, draftOf, faultsOf } from "./profile.ts";

const STORED: ConnectionProfile = {
  profile: "tickets",
  origin: "https://api.test",
  methods: ["GET"],
  enabled: true,
  requestHeaders: ["x-own"],
  headerNames: ["x-key"],
  keyAvailable: true,
  grants: [],
};
const header = (name: string, value: string, key = 0) => ({ key, name, value });

it("what is wrong with a profile is said at its field", () => {
  const good: Draft = { ...draftOf(STORED), name: "tickets" };
  assert.deepEqual(faultsOf(good, STORED), {});
  for (const name of ["", "A", "1a", "a b", "a".repeat(64)])
    assert.deepEqual(Object.keys(faultsOf({ ...good, name }, STORED)), ["name"], name);
  for (const origin of [
    "",
    "https://",
    "http://api.test",
    "https://api.test/v1",
    "https://a@api.test",
    "https://api.test/?q",
  ])
    assert.ok(faultsOf({ ...good, headers: "remove", origin }, STORED).origin !== undefined, origin);
  assert.match(faultsOf({ ...good, methods: [] }, STORED).methods ?? "", /at least one/);
  assert.match(faultsOf({ ...good, origin: "https://new.test" }, STORED).headers ?? "", /old origin/);
  assert.deepEqual(faultsOf({ ...good, origin: "https://new.test", headers: "remove" }, STORED), {});
  const replace = (...rows: Draft["rows"]) => faultsOf({ ...good, headers: "replace", rows }, STORED).headers;
  assert.match(replace() ?? "", /Enter a header/);
  assert.match(replace(header("x-key", "")) ?? "", /name and a value/);
  assert.match(replace(header("x-key", "1"), header(" X-Key", "2")) ?? "", /same name/);
  assert.equal(replace(header("x-key", "1"), header("", "")), undefined);
});

it("stored headers are sent only if they change", () => {
  const draft = draftOf(STORED);
  const kept = { origin: "https://api.test", methods: ["GET"], enabled: true, requestHeaders: ["x-own"] };
  assert.deepEqual(bodyOfDraft(draft), kept);
  assert.deepEqual(bodyOfDraft({ ...draft, requestHeaders: " x-a,x-b  x-c " }).requestHeaders, [
    "x-a",
    "x-b",
    "x-c",
  ]);
  assert.deepEqual(bodyOfDraft({ ...draft, headers: "remove", rows: [header("a", "b")] }).headers, {});
  const rows = [header(" X-Key ", "secret"), header("", "")];
  assert.deepEqual(bodyOfDraft({ ...draft, origin: "https://api.test/", headers: "replace", rows }), {
    origin: "https://api.test",
    methods: ["GET"],
    enabled: true,
    requestHeaders: ["x-own"],
    headers: { "X-Key": "secret" },
  });
});
