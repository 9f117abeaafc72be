import assert from "node:assert/strict";
import { test } from "node:test";
import { CAPABILITIES, type Capability, type DisabledReason } from "@easel/protocol/capabilities";
import type { ErrorCode } from "@easel/protocol/errors";
import type { CanvasRole } from "@easel/protocol/types";
import { guestWith, userWith } from "../../test/support/principals.ts";
import {
  type AccessFields,
  type Deployment,
  decideAccess,
  disabledReason,
  hintFor,
  LADDER,
  type Switches,
} from "./ladder.ts";
import { type Principal, visitor } from "./principal.ts";

const NOW = 1_000_000;

/** A canvas that every member of its organisation may open. */
const open: AccessFields = {
  id: "c-1",
  ownerId: "u-owner",
  access: "whole_org",
  granted: null,
  publicLinks: true,
  inOrg: true,
  deletedAt: null,
  archivedAt: null,
  disabledAt: null,
  expiresAt: null,
  passwordHash: null,
};

/**
 * The errors that deny access to a canvas, in the order of the specification (4.1, step 3), each with the fields of a canvas that cause it.
 */
const ROWS: [code: ErrorCode, cause: Partial<AccessFields>][] = [
  ["NOT_FOUND", { deletedAt: 1 }],
  ["ARCHIVED", { archivedAt: 1 }],
  ["DISABLED", { disabledAt: 1 }],
  ["NOT_INVITED", {}], // caused by the caller, a guest of another canvas
  ["OWNER_ONLY", { access: "private" }],
  ["SHARE_EXPIRED", { expiresAt: NOW }],
  ["PASSWORD_REQUIRED", { passwordHash: "hash" }],
  ["STATIC_ONLY", { access: "public_link" }],
];
const LISTED: ErrorCode[] = ["NOT_INVITED", "OWNER_ONLY"];
const MANAGERS: ErrorCode[] = [...LISTED, "SHARE_EXPIRED", "PASSWORD_REQUIRED", "STATIC_ONLY"];

const owner: Principal = userWith("u-owner");
const member: Principal = userWith("u-other");
const guest: Principal = guestWith("guest:i-1", "c-1");
const foreignGuest: Principal = guestWith("guest:i-1", "c-2");
const anonymous: Principal = visitor();

interface Asker {
  principal: Principal;
  granted: AccessFields["granted"];
  role: CanvasRole;
  spared: ErrorCode[];
}

/**
 * Every kind of caller. `granted` is the caller's role in the people list, `role` the caller's role on the canvas. `spared` are the errors
 * that the caller never gets.
 */
const ASKERS: Record<string, Asker> = {
  "the owner": { principal: owner, granted: null, role: "owner", spared: MANAGERS },
  "a listed editor": { principal: member, granted: "editor", role: "editor", spared: MANAGERS },
  "a listed viewer": { principal: member, granted: "viewer", role: "viewer", spared: LISTED },
  "a member": { principal: member, granted: null, role: "viewer", spared: ["NOT_INVITED"] },
  "a guest": { principal: guest, granted: null, role: "viewer", spared: [...LISTED, "PASSWORD_REQUIRED"] },
  "another canvas's guest": { principal: foreignGuest, granted: null, role: "viewer", spared: [] },
};

/** Returns a canvas whose fields cause all the errors in `codes`. */
function withCauses(codes: ErrorCode[]): AccessFields {
  const canvas = Object.assign(
    {},
    open,
    ...ROWS.filter(([code]) => codes.includes(code)).map((row) => row[1]),
  );
  const shut = codes.includes("OWNER_ONLY") && codes.includes("STATIC_ONLY");
  return { ...canvas, publicLinks: !shut };
}

const at = { gateOpen: false, openToVisitors: false, now: NOW } as const;

test("the checks are those of the specification, in its order", () => {
  assert.deepEqual(
    LADDER.map(({ code }) => code),
    ROWS.map(([code]) => code),
  );
});

for (const [who, { principal, granted, role, spared }] of Object.entries(ASKERS)) {
  test(`${who}: the first check that applies determines the error`, () => {
    for (let chosen = 0; chosen < 2 ** ROWS.length; chosen++) {
      const causes = ROWS.map(([code]) => code).filter((_, index) => (chosen >> index) & 1);
      const applying: ErrorCode[] = principal === foreignGuest ? [...causes, "NOT_INVITED"] : causes;
      const refused: ErrorCode | undefined = ROWS.map(([code]) => code).find(
        (code) => applying.includes(code) && !spared.includes(code),
      );
      const answer = decideAccess({ ...withCauses(causes), granted }, principal, at);
      assert.deepEqual([causes, answer], [causes, refused === undefined ? { role } : { refused }]);
    }
  });
}

type Answer = { role: CanvasRole } | { refused: ErrorCode };

/**
 * Further cases. Each row has a name, the fields in which the canvas differs from `open`, the caller, the values in which the request
 * differs from `at`, and the expected result.
 */
const more: [what: string, Partial<AccessFields>, Principal, Partial<typeof at> | object, Answer][] = [
  ["the canvas has not expired yet", { expiresAt: NOW + 1 }, member, {}, { role: "viewer" }],
  [
    "the request has a valid password cookie",
    { passwordHash: "hash" },
    member,
    { gateOpen: true },
    { role: "viewer" },
  ],
  [
    "a valid password cookie does not open a canvas that has expired",
    { passwordHash: "hash", expiresAt: NOW },
    member,
    { gateOpen: true },
    { refused: "SHARE_EXPIRED" },
  ],
  [
    "an anonymous caller may open the pages of a Public link canvas",
    { access: "public_link" },
    anonymous,
    { openToVisitors: true },
    { role: "viewer" },
  ],
  [
    "an anonymous caller may not use the runtime API of a Public link canvas",
    { access: "public_link" },
    anonymous,
    {},
    { refused: "STATIC_ONLY" },
  ],
  [
    "an anonymous caller, public links off",
    { access: "public_link", publicLinks: false },
    anonymous,
    { openToVisitors: true },
    { refused: "OWNER_ONLY" },
  ],
  ["an anonymous caller, whole org", {}, anonymous, {}, { refused: "OWNER_ONLY" }],
  [
    "an anonymous caller, public page with a password",
    { access: "public_link", passwordHash: "hash" },
    anonymous,
    { openToVisitors: true },
    { refused: "PASSWORD_REQUIRED" },
  ],
];

for (const [what, cause, principal, changed, answer] of more) {
  test(what, () => {
    assert.deepEqual(decideAccess({ ...open, ...cause }, principal, { ...at, ...changed }), answer);
  });
}

test("a canvas that does not exist is NOT_FOUND for everyone", () => {
  for (const { principal } of Object.values(ASKERS)) {
    assert.deepEqual(decideAccess(null, principal, at), { refused: "NOT_FOUND" });
  }
});

const on: Switches = {
  backendEnabled: true,
  kv: true,
  files: true,
  ai: true,
  realtime: true,
  authoring: true,
};
const allowed: Deployment = { ai: true, realtime: true, authoring: true };
const denied: Deployment = { ai: false, realtime: false, authoring: false };
const names = Object.keys(CAPABILITIES) as Capability[];

/**
 * The expected reason why a capability is off, in two cases: only the switch of the capability is off (`own`), or the operator has
 * configured neither AI, realtime nor authoring (`deployment`). Null: the capability stays on.
 */
const TABLE: [Capability, own: DisabledReason | null, deployment: DisabledReason | null][] = [
  ["identity", null, null],
  ["kv", "feature_off", null],
  ["files", "feature_off", null],
  ["ai", "feature_off", "operator_disabled"],
  ["realtime", "feature_off", "operator_disabled"],
  ["authoring", "feature_off", "operator_disabled"],
];

for (const [capability, own, deployment] of TABLE) {
  test(`${capability}: on when everything is on`, () => {
    assert.equal(disabledReason(capability, on, allowed), null);
  });
  test(`${capability} with its own switch off: ${own ?? "no effect"}`, () => {
    assert.equal(disabledReason(capability, { ...on, [capability]: false }, allowed), own);
  });
  test(`${capability} with the settings of the deployment off: ${deployment ?? "no effect"}`, () => {
    assert.equal(disabledReason(capability, on, denied), deployment);
  });
  test(`${capability}: the canvas's switch is reported before the deployment's`, () => {
    assert.equal(disabledReason(capability, { ...on, [capability]: false }, denied), own ?? deployment);
  });
  test(`${capability}: switches of other capabilities have no effect`, () => {
    const others = Object.fromEntries(
      names.filter((name) => name !== capability).map((name) => [name, false]),
    );
    assert.equal(disabledReason(capability, { ...on, ...others }, allowed), null);
  });
}

test("with the backend off every capability is off, and the reason is backend_off", () => {
  const off = Object.fromEntries(Object.keys(on).map((name) => [name, false])) as Switches;
  for (const capability of names) {
    assert.equal(disabledReason(capability, { ...on, backendEnabled: false }, allowed), "backend_off");
    assert.equal(disabledReason(capability, off, denied), "backend_off");
  }
});

test("in easel dev the hint names easel.json", () => {
  for (const reason of ["backend_off", "feature_off"] as const)
    assert.match(
      hintFor("realtime", reason, true),
      /for this canvas\. Add "realtime" to capabilities in easel\.json\.$/,
    );
  assert.match(
    hintFor("ai", "operator_disabled", true),
    /provider key .* before you start easel dev: SERVICE_AI_API_KEY/,
  );
});

test("every hint names who can switch the capability on, and where", () => {
  for (const capability of names) {
    assert.match(
      hintFor(capability, "backend_off"),
      /backend is .*owner or an editor .*capabilities with \{"backendEnabled":true\}/,
    );
    assert.match(
      hintFor(capability, "feature_off"),
      new RegExp(`^${capability} is .*owner or an editor .*capabilities with \\{"${capability}":true\\}`),
    );
    assert.match(hintFor(capability, "operator_disabled"), /administrator|SERVICE_/);
  }
});

const hints: [Capability, RegExp][] = [
  ["ai", /provider key/],
  ["realtime", /SERVICE_REALTIME/],
  ["authoring", /SERVICE_AUTHORING/],
];
for (const [capability, hint] of hints) {
  test(`${capability}: the hint names the missing setting`, () => {
    assert.match(hintFor(capability, "operator_disabled"), hint);
  });
}
