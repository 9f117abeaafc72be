import assert from "node:assert/strict";
import { test } from "node:test";
import { createEasel } from "../src/index.ts";
import { fakeFetch, page } from "./support.ts";

const NAMES: Record<string, string> = { "u-1": "Ada", "guest:2": "Grace" };
const ADA = { name: "Ada", avatarUrl: null };
const GRACE = { name: "Grace", avatarUrl: null };
const ids = (count: number) => Array.from({ length: count }, (_, index) => `n-${index}`);

/**
 * Creates the SDK for a fake service that knows the people in `NAMES`. `asked` has the ids of each request. A request that has one of the
 * ids in `failing` fails. The service responds when the promise `held` resolves.
 */
function known(failing: string[] = [], held = Promise.resolve()) {
  const names = { ...NAMES };
  const asked: string[][] = [];
  const { fetch } = fakeFetch(async ({ url }) => {
    const wanted = new URL(url).searchParams.get("ids")?.split(",") ?? [];
    asked.push(wanted);
    await held;
    if (wanted.some((id) => failing.includes(id)))
      return Response.json({ code: "RATE_LIMITED", message: "m" }, { status: 400 });
    const people = wanted.filter((id) => names[id]).map((id) => ({ id, name: names[id], avatarUrl: null }));
    return Response.json({ people });
  });
  return { ...createEasel({ ...page, fetch }), names, asked };
}

test("calls at once are one request with each id once, and each gets its own people in its own order", async () => {
  const { people, asked } = known();
  const calls = [
    people(["u-1", "guest:2", "u-1"]),
    people(new Set(["guest:2", "u-1"])),
    people(["nobody"]),
    people([]),
  ];
  assert.deepEqual(
    (await Promise.all(calls)).map((found) => [...found]),
    [
      [
        ["u-1", ADA],
        ["guest:2", GRACE],
      ],
      [
        ["guest:2", GRACE],
        ["u-1", ADA],
      ],
      [],
      [],
    ],
  );
  assert.deepEqual(asked, [["u-1", "guest:2", "nobody"]]);
});

test("no ids: no request", async () => {
  const { people, asked } = known();
  assert.equal((await people([])).size, 0);
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(asked, []);
});

test("more than 100 ids are several requests", async () => {
  const { people, asked } = known();
  const calls = [people(ids(150)), people([...ids(200), "u-1"])];
  const [none, one] = await Promise.all(calls);
  assert.deepEqual([none?.size, one?.get("u-1")], [0, ADA]);
  assert.deepEqual(
    asked.map(({ length }) => length),
    [100, 100, 1],
  );
  assert.deepEqual(asked.flat(), [...ids(200), "u-1"]);
});

test("people are kept for five minutes; ids that are not found are asked for again, and not while a request is under way", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 0 });
  const { promise: held, resolve: respond } = Promise.withResolvers<void>();
  const { people, asked, names } = known([], held);
  const first = people(["u-1", "nobody"]);
  while (asked.length === 0) await new Promise((resolve) => setTimeout(resolve));
  const second = people(["u-1", "nobody"]);
  respond();
  for (const found of await Promise.all([first, second])) assert.deepEqual([...found.keys()], ["u-1"]);
  names["u-1"] = "Countess";
  names.nobody = "Somebody";
  assert.deepEqual(
    [...(await people(["u-1", "nobody"])).values()],
    [ADA, { name: "Somebody", avatarUrl: null }],
  );
  t.mock.timers.setTime(5 * 60_000 - 1);
  assert.deepEqual((await people(["u-1"])).get("u-1"), ADA);
  t.mock.timers.setTime(5 * 60_000);
  assert.equal((await people(["u-1"])).get("u-1")?.name, "Countess");
  assert.deepEqual(asked, [["u-1", "nobody"], ["nobody"], ["u-1"]]);
});

test("a request that fails rejects its callers alone, and the next call asks again", async () => {
  const failing = ["n-0"];
  const { people, asked } = known(failing);
  const calls = [people(ids(100)), people(["n-1", "u-1"]), people(["u-1"])];
  const outcomes = await Promise.allSettled(calls);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["rejected", "rejected", "fulfilled"],
  );
  failing.length = 0;
  assert.equal((await people(["n-0", "u-1"])).size, 1);
  assert.deepEqual(
    asked.map(({ length }) => length),
    [100, 1, 1],
  );
});

test("texts that are no ids are refused before anything is sent, and only for their caller", async () => {
  const { people, asked } = known();
  const invalid = { name: "EaselError", code: "INVALID_BODY", status: 400 };
  const calls = ["", "a b", "a,b", "a_b", "ä", "i".repeat(129)].map((id) =>
    assert.rejects(people(["u-1", id]), invalid),
  );
  // @ts-expect-error: a text is not a list of ids.
  calls.push(assert.rejects(people("u-1"), invalid));
  // @ts-expect-error: an id is a text.
  calls.push(assert.rejects(people([undefined]), invalid));
  const good = people(["u-1", "i".repeat(128)]);
  await Promise.all(calls);
  assert.equal((await good).size, 1);
  assert.deepEqual(asked, [["u-1", "i".repeat(128)]]);
});
