import assert from "node:assert/strict";
import { test } from "node:test";
import {
  accessMode,
  admitsAnonymous,
  legacyStatus,
  publicationStatus,
  type StatusFields,
} from "./publication-status.ts";

const NOW = 1_000_000;

/** A canvas that is in every state of `STATES` at once: disabled, archived, unpublished, a draft and expired. It is private, too. */
const worst: StatusFields = {
  disabledAt: 1,
  archivedAt: 1,
  revokedAt: 1,
  versionId: null,
  expiresAt: NOW,
  access: "private",
};

/**
 * The publication states in the order of specification 3, except `published`. `worst` is in all of these states. Setting the fields in
 * `ended` takes it out of the state.
 */
const STATES: [state: ReturnType<typeof publicationStatus>, ended: Partial<StatusFields>][] = [
  ["disabled", { disabledAt: null }],
  ["archived", { archivedAt: null }],
  ["unpublished", { revokedAt: null }],
  ["draft", { versionId: "v-1" }],
  ["expired", { expiresAt: null }],
];

test("publicationStatus is the first state that applies", () => {
  for (let ended = 0; ended < 2 ** STATES.length; ended++) {
    const gone = STATES.filter((_, index) => (ended >> index) & 1);
    const canvas = Object.assign({}, worst, ...gone.map((state) => state[1]));
    const expected = STATES.find((state) => !gone.includes(state))?.[0] ?? "published";
    assert.deepEqual([canvas, publicationStatus(canvas, NOW)], [canvas, expected]);
  }
});

const live: StatusFields = {
  disabledAt: null,
  archivedAt: null,
  revokedAt: null,
  versionId: "v-1",
  expiresAt: null,
  access: "whole_org",
};

test("a canvas expires at its time, not before", () => {
  assert.equal(publicationStatus({ ...live, expiresAt: NOW + 1 }, NOW), "published");
  assert.equal(publicationStatus({ ...live, expiresAt: NOW }, NOW), "expired");
  assert.equal(legacyStatus({ ...live, expiresAt: NOW + 1 }, NOW), "live");
  assert.equal(legacyStatus({ ...live, expiresAt: NOW }, NOW), "expired");
});

/** Canvases, given as differences from `live`, and the deprecated field `status` that they must have (specification 2). */
const legacy: [what: string, canvas: Partial<StatusFields>, status: ReturnType<typeof legacyStatus>][] = [
  ["everything at once", worst, "revoked"],
  ["expired and private", { ...worst, revokedAt: null }, "expired"],
  ["private, disabled, archived and a draft", { ...worst, revokedAt: null, expiresAt: null }, "private"],
  ["revoked", { revokedAt: 1 }, "revoked"],
  ["private", { access: "private" }, "private"],
  ["whole org", {}, "live"],
  ["public link", { access: "public_link" }, "live"],
  ["disabled", { disabledAt: 1 }, "live"],
  ["archived", { archivedAt: 1 }, "live"],
  ["a draft", { versionId: null }, "live"],
];

for (const [what, canvas, status] of legacy) {
  test(`status of ${what}: ${status}`, () => assert.equal(legacyStatus({ ...live, ...canvas }, NOW), status));
}

test("accessMode is derived from access", () => {
  const modes = (["private", "whole_org", "public_link"] as const).map(accessMode);
  assert.deepEqual(modes, ["restricted", "whole_org", "public_link"]);
});

/** Canvases, given as differences from a published one with a Public link, and whether anonymous callers may open them. */
const anonymous: [what: string, cause: Partial<Parameters<typeof admitsAnonymous>[0]>, admitted: boolean][] =
  [
    ["public link", {}, true],
    ["public link that expires later", { expiresAt: NOW + 1 }, true],
    ["whole org", { access: "whole_org" }, false],
    ["private", { access: "private" }, false],
    ["public links off", { publicLinks: false }, false],
    ["deleted", { deletedAt: 1 }, false],
    ["archived", { archivedAt: 1 }, false],
    ["disabled", { disabledAt: 1 }, false],
    ["unpublished", { revokedAt: 1 }, false],
    ["a draft", { versionId: null }, false],
    ["expired", { expiresAt: NOW }, false],
  ];

for (const [what, cause, admitted] of anonymous) {
  test(`${what}: anonymous callers ${admitted ? "pass" : "are refused"}`, () => {
    const link = { ...live, access: "public_link", publicLinks: true, deletedAt: null } as const;
    assert.equal(admitsAnonymous({ ...link, ...cause }, NOW), admitted);
  });
}
