import type { ErrorCode } from "@easel/protocol/errors";
import type { CanvasRole } from "@easel/protocol/types";
import { isGuest, type Principal } from "./principal.ts";
import { manages, type RoleFields, roleOf } from "./roles.ts";

/** The fields of a canvas that decide who may open it. Times are epoch milliseconds. */
export interface AccessFields extends RoleFields {
  deletedAt: number | null;
  archivedAt: number | null;
  disabledAt: number | null;
  expiresAt: number | null;
  passwordHash: string | null;
}

/** The input of the ladder's rules. */
export interface Entry {
  canvas: AccessFields;
  principal: Principal;
  role: CanvasRole | null;
  /** Whether the request carries a valid password cookie. */
  gateOpen: boolean;
  /** The runtime API, or the canvas's pages. */
  surface: "api" | "content";
  now: number;
}

/** The refusals of step 3 in the specification's order (4.1); the first row that matches applies. */
export const LADDER: { code: ErrorCode; when: (entry: Entry) => boolean }[] = [
  { code: "NOT_FOUND", when: ({ canvas }) => canvas.deletedAt !== null },
  { code: "ARCHIVED", when: ({ canvas }) => canvas.archivedAt !== null },
  { code: "DISABLED", when: ({ canvas }) => canvas.disabledAt !== null },
  {
    code: "NOT_INVITED",
    when: ({ canvas, principal }) => isGuest(principal) && principal.guestOf !== canvas.id,
  },
  { code: "OWNER_ONLY", when: ({ role }) => role === null },
  { code: "SHARE_EXPIRED", when: ({ canvas, role, now }) => hasExpired(canvas, now) && !manages(role) },
  {
    code: "PASSWORD_REQUIRED",
    when: ({ canvas, principal, role, gateOpen }) =>
      canvas.passwordHash !== null && !manages(role) && !isGuest(principal) && !gateOpen,
  },
  {
    code: "STATIC_ONLY",
    when: ({ canvas, role, surface }) =>
      canvas.access === "public_link" && !manages(role) && surface === "api",
  },
];

/** Whether the share has expired. */
export const hasExpired = (canvas: { expiresAt: number | null }, now: number): boolean =>
  canvas.expiresAt !== null && canvas.expiresAt <= now;

/** Decides whether a principal may open a canvas: returns their role, or the code of the refusal. `canvas` is null where there is none. */
export function decideAccess(
  canvas: AccessFields | null,
  principal: Principal,
  at: { gateOpen: boolean; surface: Entry["surface"]; now: number },
): { role: CanvasRole } | { refused: ErrorCode } {
  if (canvas === null) return { refused: "NOT_FOUND" };
  const role = roleOf(principal, canvas);
  const entry: Entry = { canvas, principal, role, ...at };
  const row = LADDER.find((each) => each.when(entry));
  return row === undefined && role !== null ? { role } : { refused: row?.code ?? "OWNER_ONLY" };
}
