import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Explanation } from "../../api/types.ts";
import { answerOf, type Explained, PERMISSIONS, rightsWords } from "./explanation.ts";

const RULES = [
  "signed_in",
  "exists",
  "rung",
  "expired",
  "password",
  "static_only",
  "published",
  "backend",
] as const;
const OFF: Explained = { capabilitiesOff: { identity: "backend_off" }, version: "v1" };
const CANVAS: Explained = { capabilitiesOff: {}, version: "v1" };

const permissionsOf = (...allowed: (keyof Explanation["permissions"])[]) =>
  Object.fromEntries(
    Object.keys(PERMISSIONS).map((name) => [
      name,
      allowed.includes(name as keyof Explanation["permissions"]),
    ]),
  ) as Explanation["permissions"];

const NONE = { own: false, any: false };
const ALL = { own: true, any: true };
const RECORDS = { read: ALL, create: ALL, update: { own: true, any: false }, delete: NONE, increment: NONE };

/** An explanation in which `refused` maps rules to what they close. */
function explained(
  some: Partial<Explanation> = {},
  refused: Partial<Record<(typeof RULES)[number], ("pages" | "api")[]>> = {},
): Explanation {
  return {
    subject: { kind: "member", email: "bo@acme.test", name: "Bo" },
    pages: true,
    api: true,
    role: "viewer",
    code: null,
    grants: [{ via: "team", role: "viewer", team: "Design" }],
    permissions: permissionsOf("canReadSharedData", "canSubmit"),
    resources: { collections: { ideas: RECORDS }, fileGroups: {}, channels: {}, connections: {}, models: [] },
    steps: RULES.map((rule) => ({
      rule,
      outcome: refused[rule] === undefined ? "passed" : "refused",
      closes: refused[rule] ?? [],
      because: "A sentence.",
    })),
    ...some,
  };
}

const said = (explanation: Explanation, canvas = CANVAS) => {
  const { first, more } = answerOf(explanation, "Bo", canvas);
  return [first, ...more].join(" ");
};

describe("what somebody sees, in words", () => {
  it("says what they can do, why, and what not", () => {
    assert.equal(
      said(explained()),
      "Bo can open the pages and write records. Because: team Design (viewer). Not: change files, write shared keys, use AI and make canvases from the page.",
    );
  });

  it("does not name what the canvas has switched off", () => {
    const canvas = {
      ...CANVAS,
      capabilitiesOff: { kv: "feature_off", ai: "feature_off", authoring: "feature_off" } as const,
    };
    assert.match(said(explained(), canvas), /Not: change files\.$/);
  });

  it("says that an editor changes the canvas, also while the backend is off", () => {
    const editor = { role: "editor", grants: [{ via: "person", role: "editor" }] } as const;
    const closed = {
      ...editor,
      api: false,
      code: "CAPABILITY_DISABLED",
      permissions: permissionsOf(),
    } as const;
    assert.equal(
      said(explained({ ...closed, grants: [...editor.grants] }, { backend: ["api"] }), OFF),
      "Bo can open the pages and change the canvas. Because: the list (editor). The backend is switched off.",
    );
  });

  it("says that a password is asked, and what comes after it", () => {
    const asked = explained(
      { pages: false, api: false, code: "PASSWORD_REQUIRED" },
      { password: ["pages", "api"] },
    );
    assert.match(
      said(asked),
      /^Bo can open the pages and write records, after entering the password\. Because/,
    );
    assert.equal(answerOf(asked, "Bo", CANVAS).verdict, "password");
    assert.match(
      said(asked, { ...CANVAS, version: null }),
      /^Bo cannot open it: there is no page to open\. Its backend/,
    );
  });

  it("says that a Public link closes the backend", () => {
    const visitor = {
      role: "viewer",
      api: false,
      code: "STATIC_ONLY",
      permissions: permissionsOf(),
    } as const;
    assert.equal(
      said(explained({ ...visitor, grants: [{ via: "link", role: "viewer" }] }, { static_only: ["api"] })),
      "Bo can open the pages. Because: anyone with the address (viewer). Data and backend are closed to them. Not: change files.",
    );
  });

  it("says why they get in nowhere", () => {
    const out = { pages: false, api: false, permissions: permissionsOf() };
    const nobody = explained(
      { ...out, role: null, code: "OWNER_ONLY", grants: [] },
      { rung: ["pages", "api"] },
    );
    assert.equal(said(nobody), "Bo cannot open it: it is not shared with them.");
    const ended = explained({ ...out, code: "SHARE_EXPIRED" }, { expired: ["pages", "api"] });
    assert.equal(
      said(ended),
      "Bo cannot open it: access has ended. Otherwise they would have access. Because: team Design (viewer).",
    );
    const draft = explained({ pages: false, code: "NOT_FOUND" }, { published: ["pages"] });
    assert.match(
      said(draft),
      /^Bo cannot open it: there is no page to open\. Its backend answers them: they can write records\./,
    );
    // The first refusal closes the backend alone, a later one the pages.
    const both = explained({ ...out, code: "STATIC_ONLY" }, { static_only: ["api"], published: ["pages"] });
    assert.match(said(both), /^Bo cannot open it: there is no page to open\./);
  });

  it("tells an address that nobody has signed in with", () => {
    const unknown = { kind: "unknown", email: "new@acme.test", name: null } as const;
    const wordsFor = (who: string) => answerOf(explained({ subject: unknown }), who, CANVAS).more.at(-1);
    assert.match(String(wordsFor("new@acme.test")), /This holds for the first sign-in\.$/);
    assert.match(String(wordsFor("A colleague")), /^Not: /);
  });

  it("names the rights on records", () => {
    assert.equal(rightsWords(RECORDS), "read all, create, change their own");
    assert.equal(rightsWords({ ...RECORDS, read: NONE, create: NONE, update: NONE }), "nothing");
  });
});
