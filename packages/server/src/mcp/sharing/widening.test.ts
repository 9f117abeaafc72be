import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { narrowedBy, needOfPerson, type Openness, wideningsOf } from "./widening.ts";

const CLOSED: Openness = {
  access: "private",
  password: "none",
  expiresAt: null,
  people: new Map(),
  teams: new Map(),
  guests: new Set(),
  listed: false,
  gallery: false,
  template: false,
};

const NAMES = ["ada", "bob", "eve"];
const roles = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom("viewer" as const, "editor" as const)), {
    selector: ([name]) => name,
  })
  .map((entries) => new Map(entries));
const settings = (passwords: Openness["password"][]) =>
  fc.record<Openness>(
    {
      access: fc.constantFrom("private", "whole_org", "public_link"),
      password: fc.constantFrom(...passwords),
      expiresAt: fc.constantFrom(null, 1_000, 2_000),
      people: roles,
      teams: roles,
      guests: fc.uniqueArray(fc.constantFrom(...NAMES)).map((names) => new Set(names)),
      listed: fc.boolean(),
      gallery: fc.boolean(),
      template: fc.boolean(),
    },
    { noNullPrototype: true },
  );
const before = settings(["none", "kept"]);
const after = settings(["none", "kept", "new"]);
/** A change, as it can happen: a password that is kept was there before. */
const change = fc
  .tuple(before, after)
  .filter(([had, has]) => !(had.password === "none" && has.password === "kept"));

/** Who can open the canvas, what they need to know, and until when: a model of its own. Each fact is what somebody may do. */
function factsOf({ access, password, expiresAt, people, teams, guests, ...listings }: Openness): Set<string> {
  const facts = new Set<string>();
  const knowing = password === "none" ? ["nothing", "kept", "new"] : [password];
  const times = [500, 1_500, 2_500].filter((time) => expiresAt === null || time < expiresAt);
  const viewers = [
    ...[...people.keys()].map((name) => `person ${name}`),
    ...[...teams.keys()].map((name) => `team ${name}`),
    ...(access === "whole_org" ? ["the organisation"] : []),
    ...(access === "public_link" ? ["strangers", "the organisation by link"] : []),
  ];
  for (const time of times) {
    for (const who of viewers)
      for (const what of knowing) facts.add(`${who} views at ${time} knowing ${what}`);
    for (const guest of guests) facts.add(`guest ${guest} views at ${time}`);
  }
  for (const [of, list] of [
    ["person", people],
    ["team", teams],
  ] as const)
    for (const [name, role] of list) if (role === "editor") facts.add(`${of} ${name} edits`);
  for (const [name, on] of Object.entries(listings)) if (on) facts.add(name);
  return facts;
}

describe("what opens a canvas wider", () => {
  it("is everything after which somebody may do what nobody might before", () => {
    fc.assert(
      fc.property(change, ([had, has]) => {
        if (factsOf(has).difference(factsOf(had)).size > 0) assert.notDeepEqual(wideningsOf(had, has), []);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is nothing where all stays or less is allowed", () => {
    fc.assert(
      fc.property(change, ([had, has]) => {
        assert.deepEqual(wideningsOf(had, had), []);
        assert.deepEqual(
          wideningsOf(had, { ...CLOSED, password: had.password, expiresAt: had.expiresAt }),
          [],
        );
        const narrowed = narrowedBy(had, has);
        assert.deepEqual(wideningsOf(had, narrowed), []);
        assert.equal(factsOf(narrowed).difference(factsOf(had)).size, 0);
        if (wideningsOf(had, has).length === 0) assert.deepEqual(narrowed, has);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is not hidden by steps that widen nothing", () => {
    fc.assert(
      fc.property(change, after, ([one, two], three) => {
        const steps = [
          [one, two],
          [two, three],
        ] as const;
        fc.pre(!(two.password === "none" && three.password === "kept"));
        if (steps.every(([had, has]) => wideningsOf(had, has).length === 0))
          assert.equal(factsOf(three).difference(factsOf(one)).size, 0);
      }),
      { numRuns: 2_000 },
    );
  });

  const shared: Openness = {
    ...CLOSED,
    password: "kept",
    expiresAt: 1_000,
    people: new Map([["ada", "viewer"]]),
    teams: new Map([["crew", "viewer"]]),
  };
  const CASES: [title: string, after: Partial<Openness>, need: ReturnType<typeof needOfPerson>][] = [
    ["the same", {}, "never"],
    ["nobody", { people: new Map() }, "never"],
    ["an earlier end", { expiresAt: 500 }, "never"],
    ["one more person", { people: new Map([...shared.people, ["bob", "viewer"]]) }, "unless waived"],
    ["a viewer who becomes an editor", { people: new Map([["ada", "editor"]]) }, "unless waived"],
    ["a team of editors", { teams: new Map([["crew", "editor"]]) }, "unless waived"],
    ["one more team", { teams: new Map([...shared.teams, ["all", "viewer"]]) }, "unless waived"],
    ["the organisation", { access: "whole_org" }, "unless waived"],
    ["no password", { password: "none" }, "unless waived"],
    ["another password", { password: "new" }, "unless waived"],
    ["a later end", { expiresAt: 2_000 }, "unless waived"],
    ["no end", { expiresAt: null }, "unless waived"],
    ["listed for the organisation", { listed: true }, "unless waived"],
    ["in the gallery", { gallery: true }, "unless waived"],
    ["a template", { template: true }, "unless waived"],
    ["a Public link", { access: "public_link" }, "always"],
    ["a guest", { guests: new Set(["eve"]) }, "always"],
  ];
  for (const [title, to, need] of CASES)
    it(`${title}: the person is asked ${need}`, () => {
      assert.equal(needOfPerson(shared, { ...shared, ...to }), need);
    });

  it("what strangers get by a Public link is asked always", () => {
    const open: Openness = { ...shared, access: "public_link" };
    assert.equal(needOfPerson(open, { ...open, password: "none" }), "always");
    assert.equal(needOfPerson(open, { ...open, expiresAt: null }), "always");
    assert.equal(needOfPerson(open, { ...open, access: "whole_org" }), "unless waived");
    assert.equal(needOfPerson(open, { ...open, access: "private" }), "never");
  });

  it("what guests get for longer is asked always", () => {
    const guests = { ...shared, guests: new Set(["eve"]) };
    assert.equal(needOfPerson(guests, { ...guests, expiresAt: null }), "always");
    assert.equal(needOfPerson(guests, { ...guests, expiresAt: null, guests: new Set() }), "unless waived");
    assert.equal(needOfPerson(guests, { ...guests, people: new Map() }), "never");
  });
});
