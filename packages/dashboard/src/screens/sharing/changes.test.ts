import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applied, bodyOf, type Change, overtakenBy, type Terms, undoOf } from "./changes.ts";

const TERMS: Terms = {
  access: "private",
  hasPassword: false,
  expiresAt: null,
  people: [
    { email: "bo@acme.test", role: "viewer", name: "Bo" },
    { email: "cy@acme.test", role: "editor", name: null },
  ],
  teams: [{ id: "t1", name: "Design", role: "viewer" }],
};
const person = (email: string, role: "editor" | "viewer" | null): Change => ({ people: [{ email, role }] });

describe("a change of the sharing of a canvas", () => {
  it("sends the lists that were read with the change, and no others", () => {
    assert.deepEqual(bodyOf(person("di@acme.test", "viewer"), TERMS), {
      people: [
        { email: "bo@acme.test", role: "viewer" },
        { email: "cy@acme.test", role: "editor" },
        { email: "di@acme.test", role: "viewer" },
      ],
    });
    assert.deepEqual(bodyOf(person("bo@acme.test", null), TERMS), {
      people: [{ email: "cy@acme.test", role: "editor" }],
    });
    assert.deepEqual(bodyOf({ teams: [{ id: "t1", name: "Design", role: "editor" }] }, TERMS), {
      teams: [{ id: "t1", role: "editor" }],
    });
    assert.deepEqual(bodyOf({ password: null, expiresAt: 5 }, TERMS), { password: null, expiresAt: 5 });
  });

  it("keeps those whom somebody else has added meanwhile", () => {
    const read = applied(person("else@acme.test", "viewer"), TERMS);
    assert.deepEqual(
      bodyOf(person("bo@acme.test", "editor"), read).people?.map(({ email, role }) => `${email} ${role}`),
      ["bo@acme.test editor", "cy@acme.test editor", "else@acme.test viewer"],
    );
  });

  it("is undone by the change back", () => {
    const changes: Change[] = [
      person("bo@acme.test", "editor"),
      person("cy@acme.test", null),
      person("di@acme.test", "viewer"),
      { teams: [{ id: "t1", name: "Design", role: null }] },
      { access: "public_link" },
      { expiresAt: Date.now() + 1e6 },
      { password: "a password" },
    ];
    for (const change of changes) {
      const undo = undoOf(change, TERMS);
      assert.ok(undo);
      const { people, teams, ...rest } = applied(undo, applied(change, TERMS));
      const byEmail = people.toSorted((a, b) => a.email.localeCompare(b.email));
      assert.deepEqual({ ...rest, people: byEmail, teams }, TERMS);
    }
  });

  it("has no way back to a password that nobody knows, or to an end that has passed", () => {
    assert.equal(undoOf({ password: null }, { ...TERMS, hasPassword: true }), null);
    assert.equal(undoOf({ password: "another one" }, { ...TERMS, hasPassword: true }), null);
    assert.equal(undoOf({ expiresAt: null }, { ...TERMS, expiresAt: 1 }), null);
  });

  it("is told where somebody else was faster", () => {
    const gone = applied(person("bo@acme.test", null), TERMS);
    assert.match(
      String(overtakenBy(person("bo@acme.test", "editor"), TERMS, gone)),
      /bo@acme\.test is not on the list/,
    );
    assert.match(
      String(overtakenBy({ access: "whole_org" }, TERMS, { ...TERMS, access: "public_link" })),
      /general access/,
    );
    assert.match(
      String(overtakenBy({ password: "a password" }, TERMS, { ...TERMS, hasPassword: true })),
      /a password is set/,
    );
    assert.match(String(overtakenBy({ expiresAt: 9 }, TERMS, { ...TERMS, expiresAt: 7 })), /the end/);
    // The same change by somebody else, and other entries, are no obstacle.
    assert.equal(overtakenBy(person("bo@acme.test", null), TERMS, gone), null);
    assert.equal(overtakenBy(person("cy@acme.test", null), TERMS, gone), null);
    assert.equal(overtakenBy({ access: "whole_org" }, TERMS, gone), null);
  });
});
