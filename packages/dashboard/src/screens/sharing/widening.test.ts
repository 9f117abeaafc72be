import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Change, Terms } from "./changes.ts";
import { leaving, momentOf, widening } from "./widening.ts";

const AROUND = { guests: 0, organisation: "Acme" };
const NOW = Date.UTC(2026, 5, 1);
const HOUR = 3_600_000;

const terms = (some: Partial<Terms> = {}): Terms => ({
  access: "private",
  hasPassword: false,
  expiresAt: null,
  people: [
    { email: "bo@acme.test", role: "viewer", name: null },
    { email: "cy@acme.test", role: "viewer", name: null },
    { email: "di@acme.test", role: "editor", name: null },
  ],
  teams: [{ id: "t1", name: "Design", role: "viewer" }],
  ...some,
});
const asked = (change: Change, before: Partial<Terms> = {}, around = AROUND) =>
  widening(change, terms(before), around, NOW)?.text.join(" ") ?? null;

describe("what lets more people in", () => {
  it("is a wider general access", () => {
    assert.equal(
      asked({ access: "whole_org" }),
      "Now it opens for the owner, 3 people and 1 team. After this, everyone who signs in at Acme can open it as a viewer.",
    );
    assert.match(
      String(asked({ access: "public_link" })),
      /After this, anyone on the internet with the address/,
    );
    assert.match(
      String(asked({ access: "public_link" }, { access: "whole_org" }, { ...AROUND, guests: 2 })),
      /the owner, 3 people, 1 team, 2 guests and everyone who signs in at Acme\./,
    );
    for (const [from, to] of [
      ["public_link", "whole_org"],
      ["public_link", "private"],
      ["whole_org", "private"],
      ["private", "private"],
    ] as const)
      assert.equal(asked({ access: to }, { access: from }), null);
  });

  it("is a password that is removed, if it is asked of somebody", () => {
    const before = { hasPassword: true } as const;
    assert.equal(
      asked({ password: null }, before, { ...AROUND, guests: 5 }),
      "Now a password is asked of 2 viewers and 1 team of viewers. After this, it opens for them without one.",
    );
    assert.match(
      String(asked({ password: null }, { ...before, access: "public_link" })),
      /and anyone with the address/,
    );
    assert.equal(asked({ password: null }, { ...before, people: [], teams: [] }), null);
    assert.equal(asked({ password: "a new password" }, before), null);
    assert.equal(asked({ password: "a new password" }), null);
  });

  it("is an end that is later, or removed", () => {
    const before = { expiresAt: NOW + HOUR };
    assert.equal(
      asked({ expiresAt: null }, before, { ...AROUND, guests: 1 }),
      `Access ends on ${momentOf(NOW + HOUR)} for 2 viewers, 1 team of viewers and 1 guest. After this, it has no end.`,
    );
    assert.match(String(asked({ expiresAt: NOW + 2 * HOUR }, before)), /After this, it ends on/);
    assert.match(String(asked({ expiresAt: NOW + HOUR }, { expiresAt: NOW - HOUR })), /^Access ended on/);
    assert.equal(asked({ expiresAt: NOW + HOUR / 2 }, before), null);
    assert.equal(asked({ expiresAt: NOW + HOUR }), null);
    assert.equal(asked({ expiresAt: null }, { ...before, people: [], teams: [] }), null);
  });

  it("is not a change of the lists", () => {
    assert.equal(asked({ people: [{ email: "new@acme.test", role: "editor" }] }), null);
    assert.equal(asked({ people: [{ email: "bo@acme.test", role: null }] }), null);
  });
});

describe("an editor who gives up their own role", () => {
  const own = (change: Change, some: Partial<Terms> = {}, members: string[] = []) =>
    leaving(change, terms(some), "di@acme.test", [{ id: "t1", members }]);

  it("is asked before", () => {
    for (const role of ["viewer", null] as const)
      assert.equal(own({ people: [{ email: "di@acme.test", role }] })?.act, "Give it up");
    const byTeam = { people: [], teams: [{ id: "t1", name: "Design", role: "editor" as const }] };
    const change = { teams: [{ id: "t1", name: "Design", role: null }] };
    assert.equal(own(change, byTeam, ["di@acme.test"])?.act, "Give it up");
    assert.equal(own(change, byTeam), null);
  });

  it("is not asked about others, or with another way to the role", () => {
    assert.equal(own({ people: [{ email: "bo@acme.test", role: null }] }), null);
    const twice = { teams: [{ id: "t1", name: "Design", role: "editor" as const }] };
    assert.equal(own({ people: [{ email: "di@acme.test", role: null }] }, twice, ["di@acme.test"]), null);
  });
});
