import assert from "node:assert/strict";
import { test } from "node:test";
import { CAPABILITIES, type Capability, type DisabledReason } from "@easel/protocol/capabilities";
import { type Deployment, disabledReason, hintFor, type Switches } from "./capability-gate.ts";

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
