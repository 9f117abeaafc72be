import assert from "node:assert/strict";
import { it } from "node:test";
import { accessSentence } from "./access-sentence.ts";

type Fields = Parameters<typeof accessSentence>[0];

const ADA = { id: "1", email: "ada@acme.test", name: "Ada" };
const me = { email: ADA.email, orgs: [{ id: "acme", name: "Acme" }] };
const base: Fields = {
  access: "private",
  hasPassword: false,
  expiresAt: null,
  people: [],
  teams: [],
  owner: ADA,
  viewerRole: "owner",
};
const person = (name: string, role: "editor" | "viewer") => ({
  email: `${name}@acme.test`,
  role,
  name: null,
});

/** Returns the sentence without the isolates around names. */
const sentence = (fields: Partial<Fields>, { guests = 0, as = me } = {}): string =>
  accessSentence({ ...base, ...fields }, as, guests, Date.UTC(2026, 5, 1)).replace(/[\u2068\u2069]/g, "");

it("a private canvas names those who may open it, and who of them may change it", () => {
  assert.equal(sentence({}), "Only you may open and change it.");
  assert.equal(
    sentence({ people: [person("bo", "editor")] }),
    "Only you and bo@acme.test may open and change it.",
  );
  const people = [person("bo", "editor"), person("cy", "viewer")];
  assert.equal(
    sentence({ people }),
    "Only you, bo@acme.test and cy@acme.test may open it; you and bo@acme.test may change it.",
  );
  assert.equal(
    sentence({}, { guests: 2 }),
    "Only you and 2 invited guests may open it; only you may change it.",
  );
});

it("people who have signed in are named, in isolation from the sentence", () => {
  const people = [{ ...person("bo", "editor"), name: "\u202eBo" }];
  assert.equal(
    accessSentence({ ...base, people }, me, 0),
    "Only you and \u2068\u202eBo\u2069 may open and change it.",
  );
});

it("many people and teams are counted after the first three", () => {
  const people = ["b", "c", "d", "e"].map((name) => person(name, "viewer"));
  assert.match(sentence({ people }), /^Only you, b@acme\.test, c@acme\.test and 2 others may open it;/);
  const teams = [{ id: "t", name: "Design", role: "viewer" as const }];
  assert.match(
    sentence({ people: people.slice(0, 2), teams }),
    /^Only you, b@acme\.test, c@acme\.test and the team Design may open it;/,
  );
});

it("general access, a password and an end are told", () => {
  assert.equal(
    sentence({
      access: "whole_org",
      people: [person("bo", "editor")],
      hasPassword: true,
      expiresAt: Date.UTC(2027, 2, 3, 12),
    }),
    "Everyone at Acme who signs in may open it; you and bo@acme.test may change it; a password is asked; this ends on 3 Mar 2027.",
  );
  assert.equal(
    sentence({ access: "public_link", expiresAt: Date.UTC(2026, 2, 3, 12) }),
    "Anyone with the address may open it; only you may change it; this ended on 3 Mar 2026.",
  );
  assert.equal(
    sentence({ access: "whole_org" }, { as: { ...me, orgs: [] }, guests: 1 }),
    "Everyone who signs in, and one invited guest, may open it; only you may change it.",
  );
});

it("an organisation is named to the owner alone, who is certainly in it", () => {
  const as = { email: "bo@else.test", orgs: [{ id: "else", name: "Else" }] };
  assert.equal(
    sentence(
      {
        access: "whole_org",
        viewerRole: "editor",
        people: [{ email: as.email, role: "editor", name: "Bo" }],
      },
      { as },
    ),
    "Everyone in the organisation of Ada who signs in may open it; you and Ada may change it.",
  );
});

it("a viewer reads why they may open it, and nothing of the others", () => {
  assert.equal(
    sentence({ viewerRole: "viewer", hasPassword: true }),
    "Ada shares it with you and people they chose; a password is asked.",
  );
});

it("names are isolated from the direction of the sentence", () => {
  const text = accessSentence(
    { ...base, viewerRole: "viewer", owner: { ...ADA, name: "\u0645\u062e" } },
    me,
    0,
  );
  assert.ok(text.startsWith("\u2068\u0645\u062e\u2069 shares"));
});
