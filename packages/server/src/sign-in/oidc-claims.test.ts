import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../config/config.ts";
import { accountOf, type Claims, combined, needsUserinfo, requireSignIn } from "./oidc-claims.ts";
import { OidcError } from "./oidc-error.ts";

const OIDC = {
  SERVICE_AUTH_MODE: "oidc",
  SERVICE_SESSION_SECRET: "s".repeat(32),
  SERVICE_OIDC_ISSUER: "https://login.microsoftonline.com/0f0f/v2.0",
  SERVICE_OIDC_CLIENT_ID: "easel",
  SERVICE_ALLOWED_EMAIL_DOMAINS: "acme.test",
};
const LOOSE = { SERVICE_OIDC_EMAIL_VERIFIED: "if_present" };
const GROUPS = { SERVICE_OIDC_GROUPS_CLAIM: "groups", SERVICE_OIDC_ALLOWED_GROUPS: "staff, 0b6e" };

/** Returns the kind of the refusal, or else what `give` returns. */
function kindOf<Result>(give: () => Result): Result | string {
  try {
    return give();
  } catch (error) {
    assert.ok(error instanceof OidcError, String(error));
    return error.kind;
  }
}

const ADA = { iss: "https://a.test", sub: "1", email: "Ada@acme.test" };
const rows: [name: string, claims: Claims, settings: Record<string, string>, outcome: string][] = [
  ["verified", { email_verified: true }, {}, "ada@acme.test"],
  ["nobody says", {}, {}, "unverified"],
  ["nobody says, which is enough", {}, LOOSE, "ada@acme.test"],
  ["not verified", { email_verified: false }, LOOSE, "unverified"],
  ["verified in words", { email_verified: "true" }, LOOSE, "unverified"],
  ["verified: null", { email_verified: null }, LOOSE, "unverified"],
  ["Entra: the owner of the domain has verified it", { xms_edov: true }, {}, "ada@acme.test"],
  ["Entra: the same as 1", { xms_edov: 1 }, {}, "ada@acme.test"],
  ["Entra: the same as text", { xms_edov: "1" }, {}, "ada@acme.test"],
  ["Entra: the owner has not", { xms_edov: false }, LOOSE, "unverified"],
  ["Entra: the owner has not, as 0", { xms_edov: "0" }, LOOSE, "unverified"],
  ["one says yes, the other no", { email_verified: false, xms_edov: true }, LOOSE, "unverified"],
  ["one says yes, the other no", { email_verified: true, xms_edov: 0 }, LOOSE, "unverified"],
  ["another domain", { email: "ada@evil.test", email_verified: true }, {}, "not_allowed"],
  [
    "another claim",
    { upn: "lovelace@acme.test" },
    { ...LOOSE, SERVICE_OIDC_EMAIL_CLAIM: "upn" },
    "lovelace@acme.test",
  ],
  ["another claim that is absent", {}, { ...LOOSE, SERVICE_OIDC_EMAIL_CLAIM: "upn" }, "unverified"],
];
for (const [name, claims, settings, outcome] of rows) {
  test(`an address, ${name}: ${outcome}`, () => {
    const config = readConfig({ ...OIDC, ...settings });
    assert.equal(
      kindOf(() => accountOf({ ...ADA, ...claims }, config).email),
      outcome,
    );
  });
}

const grouped: [name: string, claims: Claims, settings: Record<string, string>, outcome: unknown][] = [
  ["not asked for", { groups: ["staff"] }, {}, null],
  ["one that may sign in", { groups: ["x", "staff", "x"] }, GROUPS, ["staff", "x"]],
  ["one alone, as text", { groups: "staff" }, GROUPS, ["staff"]],
  ["others", { groups: ["Staff", "staff "] }, GROUPS, "not_in_group"],
  ["none", { groups: [] }, GROUPS, "not_in_group"],
  ["no claim", {}, GROUPS, "not_in_group"],
  ["no names", { groups: [1, null, {}, "", "a\nb"] }, { SERVICE_OIDC_GROUPS_CLAIM: "groups" }, []],
  ["Entra's pointer", { _claim_names: { groups: "src1" }, _claim_sources: {} }, GROUPS, "groups_elsewhere"],
  ["Entra's other pointer", { hasgroups: true }, GROUPS, "groups_elsewhere"],
  ["Entra's pointer without a rule", { hasgroups: true }, { SERVICE_OIDC_GROUPS_CLAIM: "groups" }, null],
  [
    "a path",
    { realm_access: { roles: ["staff"] } },
    { ...GROUPS, SERVICE_OIDC_GROUPS_CLAIM: "realm_access.roles" },
    ["staff"],
  ],
  [
    "a name with dots",
    { "https://acme.test/groups": ["staff"] },
    { ...GROUPS, SERVICE_OIDC_GROUPS_CLAIM: "https://acme.test/groups" },
    ["staff"],
  ],
  ["a path into a prototype", {}, { SERVICE_OIDC_GROUPS_CLAIM: "constructor.name" }, []],
];
for (const [name, claims, settings, outcome] of grouped) {
  test(`groups, ${name}: ${JSON.stringify(outcome)}`, () => {
    const config = readConfig({ ...OIDC, ...settings });
    const given = { ...ADA, email_verified: true, ...claims };
    assert.deepEqual(
      kindOf(() => accountOf(given, config).groups),
      outcome,
    );
  });
}

const NOW = 1_800_000_000_000;
const proofs: [claims: Claims, settings: Record<string, string>, outcome: string | undefined][] = [
  [{}, {}, undefined],
  [{ acr: "mfa" }, { SERVICE_OIDC_ACR_VALUES: "phr mfa" }, undefined],
  [{ acr: "pwd" }, { SERVICE_OIDC_ACR_VALUES: "phr mfa" }, "weak"],
  [{}, { SERVICE_OIDC_ACR_VALUES: "undefined2" }, "weak"],
  [{ auth_time: NOW / 1000 - 659 }, { SERVICE_OIDC_MAX_AGE: "600" }, undefined],
  [{ auth_time: NOW / 1000 - 661 }, { SERVICE_OIDC_MAX_AGE: "600" }, "stale"],
  [{ auth_time: String(NOW / 1000) }, { SERVICE_OIDC_MAX_AGE: "600" }, "stale"],
  [{}, { SERVICE_OIDC_MAX_AGE: "600" }, "stale"],
];
for (const [claims, settings, outcome] of proofs) {
  test(`a sign-in ${JSON.stringify(claims)} with ${JSON.stringify(settings)}: ${outcome ?? "enough"}`, () => {
    const config = readConfig({ ...OIDC, ...settings });
    assert.equal(
      kindOf(() => requireSignIn(claims, config, NOW)),
      outcome,
    );
  });
}

test("userinfo is asked for what the ID token lacks, and address and verification are not combined", () => {
  const config = readConfig({ ...OIDC, SERVICE_OIDC_GROUPS_CLAIM: "groups" });
  const full = { ...ADA, email_verified: true, groups: [] };
  assert.ok(!needsUserinfo(full, config));
  for (const lacking of ["email", "email_verified", "groups"])
    assert.ok(needsUserinfo({ ...full, [lacking]: undefined }, config), lacking);
  assert.ok(!needsUserinfo({ ...full, groups: undefined, hasgroups: true }, config));

  const info = { sub: "1", email: "info@acme.test", email_verified: true, groups: ["staff"] };
  const both = combined({ ...ADA, email_verified: undefined }, info, config);
  assert.deepEqual(
    [both.email, both.email_verified, both.groups, both.iss],
    ["info@acme.test", true, ["staff"], ADA.iss],
  );
  const kept = combined(full, { ...info, email_verified: false }, config);
  assert.deepEqual([kept.email, kept.email_verified], [ADA.email, true]);
  const unsaid = combined({ ...ADA }, { sub: "1", email_verified: true }, config);
  assert.deepEqual([unsaid.email, unsaid.email_verified], [ADA.email, undefined]);
});
