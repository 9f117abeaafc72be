import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ERRORS } from "@easel/protocol/errors";
import { decideAccess, disabledReason } from "../../src/access/ladder.ts";
import { type Principal, visitor } from "../../src/access/principal.ts";
import { admitsAnonymous } from "../../src/canvases/publication-status.ts";
import { guestWith, userWith } from "../support/principals.ts";
import { type Cell, EXPIRIES, expected, PASSWORDS, ROLES, RUNGS, STATES, SURFACES } from "./matrix-oracle.ts";

/*
 * Compares the access rules of the code with those that `matrix-oracle.ts` restates, for every cell: each caller, state of the canvas, and
 * surface. `matrix.test.ts` does so over HTTP for a sample of the cells.
 */

const NOW = 1_000_000;
const ID = "the-canvas";
const ALL_ON = { backendEnabled: true, kv: true, files: true, ai: true, realtime: true, authoring: true };

/** Returns the fields of a cell's canvas as the service reads them for the caller. */
function canvasOf({ role, rung, state, password, expiry }: Cell) {
  const when = (condition: boolean) => (condition ? 1 : null);
  return {
    id: ID,
    ownerId: "owner",
    access: rung === "private" || rung === "whole_org" ? rung : ("public_link" as const),
    granted: /^(editor|viewer) by/.test(role)
      ? role.startsWith("editor")
        ? ("editor" as const)
        : ("viewer" as const)
      : null,
    inOrg: !role.endsWith("of another organisation"),
    publicLinks: !rung.includes("off for"),
    versionId: state === "draft" ? null : "version",
    revokedAt: when(state === "unpublished"),
    archivedAt: when(state === "archived"),
    disabledAt: when(state.startsWith("disabled")),
    deletedAt: when(state.endsWith("deleted")),
    expiresAt: { none: null, future: NOW + 1, past: NOW - 1 }[expiry],
    passwordHash: password === "none" ? null : "hash",
  };
}

function principalOf(role: Cell["role"]): Principal {
  if (role === "nobody") return visitor();
  if (role === "guest") return guestWith("guest:1", ID);
  if (role === "guest of another canvas") return guestWith("guest:2", "another-canvas");
  return userWith(role === "owner" ? "owner" : "someone");
}

/** Runs steps 1, 3 and 5 of specification 4.1 for a cell. Returns the outcome as `expected` writes it. */
function decided(cell: Cell): string {
  const canvas = canvasOf(cell);
  const principal = principalOf(cell.role);
  const isApi = cell.surface === "api";
  if (principal.kind === "visitor" && !admitsAnonymous(canvas, NOW)) return isApi ? "401" : "302";
  const gateOpen = cell.password === "set and given";
  const decision = decideAccess(canvas, principal, {
    gateOpen,
    openToVisitors: !isApi,
    now: NOW,
  });
  if ("refused" in decision) {
    const { status } = ERRORS[decision.refused];
    return isApi ? `${status} ${decision.refused}` : `${status}`;
  }
  if (!isApi) return canvas.versionId === null || canvas.revokedAt !== null ? "404" : "200";
  const switches = { ...ALL_ON, backendEnabled: cell.state !== "backend off" };
  return disabledReason("kv", switches, {}) === null ? "200" : "403 CAPABILITY_DISABLED";
}

describe("the rules and the oracle agree on every cell of the matrix", () => {
  let cells = 0;
  for (const rung of RUNGS) {
    for (const state of STATES) {
      it(`${rung}, ${state}`, () => {
        for (const role of ROLES)
          for (const password of PASSWORDS)
            for (const expiry of EXPIRIES)
              for (const surface of SURFACES) {
                const cell: Cell = { role, rung, state, password, expiry, surface };
                cells++;
                assert.equal(decided(cell), expected(cell), JSON.stringify(cell));
              }
      });
    }
  }

  it("the matrix has 8,640 cells", () => assert.equal(cells, 8_640));
});
