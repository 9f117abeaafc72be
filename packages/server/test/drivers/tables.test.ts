import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { CAPABILITIES, type Switch } from "@easel/protocol/capabilities";
import { ERRORS, type ErrorCode } from "@easel/protocol/errors";
import { LIMITS } from "@easel/protocol/limits";
import { CLOSE_CODES, FRAME_ERRORS } from "@easel/protocol/realtime";
import { type Capabilities, PERMISSIONS } from "@easel/protocol/types";
import { LADDER } from "../../src/access/ladder.ts";
import { PERMISSION_NEEDS } from "../../src/access/roles.ts";
import { PUBLICATION_STATUSES } from "../../src/canvases/publication-status.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import { MIGRATIONS } from "../../src/drivers/db/migrate.ts";
import { primitives } from "../../src/primitives/index.ts";
import type { Primitive } from "../../src/primitives/primitive.ts";

const SENTENCE = /^[A-Z`].*[^.]\.$/s;
const once = (names: readonly string[]) => assert.deepEqual(names.toSorted(), [...new Set(names)].sort());

test("every error has a 4xx or 5xx status, and a sentence for people", () => {
  for (const [code, { status, message }] of Object.entries(ERRORS)) {
    assert.match(code, /^[A-Z]+(_[A-Z]+)*$/);
    assert.ok(Number.isInteger(status) && status >= 400 && status <= 599, code);
    assert.match(message, SENTENCE, code);
  }
});

test("every switch is shown by the management API, and is a column of canvases", () => {
  const shown: Record<keyof Capabilities, true> = {
    backendEnabled: true,
    kv: true,
    files: true,
    ai: true,
    realtime: true,
    authoring: true,
    aiAudience: true,
    connectionsAudience: true,
    authoringAudience: true,
    guestAi: true,
  };
  const switches = Object.values(CAPABILITIES).flatMap((each): Switch[] =>
    each.switch === null ? [] : [each.switch],
  );
  once(switches);
  const schema = readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith(".sql"))
    .map((name) => readFileSync(path.join(MIGRATIONS, name), "utf8"))
    .join("");
  for (const name of switches) assert.ok(Object.hasOwn(shown, name), name);
  for (const name of Object.keys(shown)) {
    const column = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    assert.match(schema, new RegExp(`^  ${column} (integer|text) not null default `, "m"));
  }
});

test("a switch is named after its capability, and the reason of the deployment is a sentence", () => {
  for (const [name, { switch: own, operatorHint }] of Object.entries(CAPABILITIES)) {
    assert.ok(own === null || own === name);
    if (operatorHint !== null) assert.match(operatorHint, SENTENCE);
  }
});

test("there are fourteen permissions, each with its requirement", () => {
  assert.equal(PERMISSIONS.length, 14);
  once(PERMISSIONS);
  assert.deepEqual(Object.keys(PERMISSION_NEEDS), [...PERMISSIONS]);
  for (const { capability } of Object.values(PERMISSION_NEEDS)) {
    assert.ok(capability === undefined || Object.hasOwn(CAPABILITIES, capability));
  }
});

const CLOSES = new Set<number>(Object.values(CLOSE_CODES).map(({ code }) => code));

/** The values of `past` (what happens past a limit) of the limits that refuse nothing. */
const REFUSES_NOTHING = [
  "",
  "the page ends early; `nextCursor` continues",
  "a larger `maxTokens` counts as this",
  "the oldest calls are removed",
  "the oldest are removed",
  "further calls are only counted",
  "the oldest errors are removed",
  "further errors are only counted",
  "the text is cut",
  "the frame has no value; the client reads it",
  "further ones wait",
  "further ones wait; people take turns",
];

test("every limit has a value, a unit, a description and an error of the tables", () => {
  for (const [name, { value, unit, of, past }] of Object.entries(LIMITS)) {
    assert.ok(Number.isSafeInteger(value) && value > 0, name);
    assert.match(unit, /^[a-z ]+$/);
    assert.match(of, /^[a-z].*[^.]$/);
    const refusals = [...past.matchAll(/(\d{3}) ([A-Z_]+)/g)];
    const closes = [...past.matchAll(/close (\d{4})/g)];
    const frames = [...past.matchAll(/frame ([A-Z_]+)/g)];
    assert.equal(refusals.length + closes.length + frames.length > 0, !REFUSES_NOTHING.includes(past), name);
    for (const [, code] of closes) assert.ok(CLOSES.has(Number(code)), name);
    for (const [, code = ""] of frames) assert.ok(code in FRAME_ERRORS, name);
    for (const [, status, code] of refusals) {
      const usual = ERRORS[code as ErrorCode].status;
      // Exceptions (specification 7): INVALID_BODY is 413 for a bundle that is too large, and the quota of files is a 409.
      const isOther = ["INVALID_BODY 413", "QUOTA_EXCEEDED 409"].includes(`${code} ${status}`);
      assert.ok(Number(status) === usual || isOther, name);
    }
  }
});

test("the default page size is not above the maximum", () => {
  assert.ok(LIMITS.pageDefault.value <= LIMITS.pageMax.value);
});

test("every setting has a variable of its own, a kind with its format, and a sentence", () => {
  const settings = Object.values(SETTINGS);
  once(settings.map(({ variable }) => variable));
  for (const { variable, kind, meaning } of settings) {
    assert.match(variable, /^SERVICE_[A-Z0-9]+(_[A-Z0-9]+)*$/);
    assert.match(meaning, SENTENCE, variable);
    assert.notEqual(kind.may, "", variable);
  }
});

test("settings that may contain a password are secret", () => {
  const secret = Object.values(SETTINGS)
    .filter((each) => each.secret === true)
    .map(({ variable }) => variable);
  assert.deepEqual(secret.toSorted(), [
    "SERVICE_AI_API_KEY",
    "SERVICE_BUS_URL",
    "SERVICE_DATABASE_URL",
    "SERVICE_ENCRYPTION_KEY",
    "SERVICE_OIDC_CLIENT_SECRET",
    "SERVICE_PROXY_SECRET",
    "SERVICE_SCIM_TOKEN",
    "SERVICE_SESSION_SECRET",
    "SERVICE_SMTP_URL",
  ]);
});

test("every default is a valid value of its variable", () => {
  for (const { variable, kind, fallback } of Object.values(SETTINGS)) {
    if (!["string", "number", "boolean"].includes(typeof fallback)) continue;
    const text = typeof fallback === "boolean" ? (fallback ? "on" : "off") : String(fallback);
    assert.equal(kind.read(text), fallback, variable);
  }
});

test("an empty default has a description of its meaning", () => {
  const empty = Object.values(SETTINGS).filter(
    ({ fallback }) => typeof fallback === "object" && fallback !== null && Object.keys(fallback).length === 0,
  );
  assert.ok(empty.length > 0);
  for (const { variable, shown } of empty) assert.notEqual(shown, undefined, variable);
});

test("no row of the ladder or the publication statuses is repeated", () => {
  once(LADDER.map(({ code }) => code));
  once(LADDER.map(({ name }) => name));
  once(PUBLICATION_STATUSES.map(({ status }) => status));
  assert.equal(PUBLICATION_STATUSES.at(-1)?.status, "published");
});

test("every primitive has a capability, and no two share a path", () => {
  const pathsOf = ({ operations, reserved = [] }: Primitive) => [
    ...new Set(operations.map(({ path }) => path)),
    ...reserved,
  ];
  once(primitives.flatMap(pathsOf));
  once(primitives.flatMap(({ operations }) => operations.map(({ name }) => name)));
  once(primitives.flatMap(({ operations }) => operations.map(({ method, path }) => `${method} ${path}`)));
  for (const primitive of primitives) {
    assert.ok(Object.hasOwn(CAPABILITIES, primitive.capability));
    for (const path of pathsOf(primitive)) assert.match(path, /^\/[a-z]/);
    // A path without operations gives its requests the rate class of the primitive.
    assert.ok(primitive.reserved === undefined || primitive.rateClass !== undefined, primitive.title);
  }
});
