import {
  CAPABILITIES,
  type Capability,
  type DisabledReason,
  type Switch,
} from "@easel/protocol/capabilities";
import type { AccessRefusal, AccessRule } from "@easel/protocol/management";
import type { CanvasRole } from "@easel/protocol/types";
import type { Principal } from "./principal.ts";
import { manages, type RoleFields, roleOf } from "./roles.ts";

/** The fields of a canvas that decide who may open it. Times are epoch milliseconds. */
export interface AccessFields extends RoleFields {
  deletedAt: number | null;
  archivedAt: number | null;
  disabledAt: number | null;
  expiresAt: number | null;
  passwordHash: string | null;
}

/** The canvas, the caller and the request that the checks in `LADDER` examine. `now` is in epoch milliseconds. */
export interface Entry {
  canvas: AccessFields;
  principal: Principal;
  role: CanvasRole | null;
  /**
   * Whether the check of the canvas's password is passed: the canvas has no password, the request has a valid password cookie, or the
   * request contains the password.
   */
  gateOpen: boolean;
  /** Whether visitors of a Public link may make the request. True if it loads a page of the canvas or calls a Connection that is public. */
  openToVisitors: boolean;
  now: number;
}

/** A check of access. If `when` returns true, access is refused with the error `code`. */
export interface Rule {
  name: AccessRule;
  code: AccessRefusal;
  when: (entry: Entry) => boolean;
}

/**
 * The checks of access to a canvas, in the order of the specification (4.1, step 3). The first one that matches denies access with its
 * error code.
 */
export const LADDER: readonly Rule[] = [
  { name: "exists", code: "NOT_FOUND", when: ({ canvas }) => canvas.deletedAt !== null },
  { name: "archived", code: "ARCHIVED", when: ({ canvas }) => canvas.archivedAt !== null },
  { name: "disabled", code: "DISABLED", when: ({ canvas }) => canvas.disabledAt !== null },
  {
    name: "other_guest",
    code: "NOT_INVITED",
    when: ({ canvas, principal }) => principal.kind === "guest" && principal.guestOf !== canvas.id,
  },
  { name: "rung", code: "OWNER_ONLY", when: ({ role }) => role === null },
  {
    name: "expired",
    code: "SHARE_EXPIRED",
    when: ({ canvas, role, now }) => hasExpired(canvas, now) && !manages(role),
  },
  {
    name: "password",
    code: "PASSWORD_REQUIRED",
    when: ({ canvas, principal, role, gateOpen }) =>
      canvas.passwordHash !== null && !manages(role) && principal.kind !== "guest" && !gateOpen,
  },
  {
    name: "static_only",
    code: "STATIC_ONLY",
    when: ({ canvas, role, openToVisitors }) =>
      canvas.access === "public_link" && !manages(role) && !openToVisitors,
  },
];

/** Whether the time at which access to a canvas ends has passed. If `expiresAt` is null, access never ends. */
export const hasExpired = (canvas: { expiresAt: number | null }, now: number): boolean =>
  canvas.expiresAt !== null && canvas.expiresAt <= now;

/**
 * Decides whether a caller may open a canvas. Returns the role of the caller, or the code of the error. `canvas` is null if there is no
 * such canvas.
 */
export function decideAccess(
  canvas: AccessFields | null,
  principal: Principal,
  at: { gateOpen: boolean; openToVisitors: boolean; now: number },
): { role: CanvasRole } | { refused: AccessRefusal } {
  if (canvas === null) return { refused: "NOT_FOUND" };
  const role = roleOf(principal, canvas);
  const entry: Entry = { canvas, principal, role, ...at };
  for (const rule of LADDER) if (rule.when(entry)) return { refused: rule.code };
  return role === null ? { refused: "OWNER_ONLY" } : { role };
}

/** Whether each capability switch of a canvas is on. */
export type Switches = Record<Switch | "backendEnabled", boolean>;

/** Whether the settings of the deployment allow a capability. A capability that does not depend on these settings is absent. */
export type Deployment = Partial<Record<Capability, boolean>>;

/** Returns the first reason why a capability is off, in the order of the specification (4.1, step 5). Returns null if it is on. */
export function disabledReason(
  capability: Capability,
  switches: Switches,
  deployment: Deployment,
): DisabledReason | null {
  const switchName = CAPABILITIES[capability].switch;
  if (!switches.backendEnabled) return "backend_off";
  if (switchName !== null && !switches[switchName]) return "feature_off";
  if (deployment[capability] === false) return "operator_disabled";
  return null;
}

/** Returns what the owner or an editor does to switch a capability on. `name` is the switch of the canvas that is off. */
const remedyFor = (capability: Capability, name: string, isDev: boolean): string =>
  isDev
    ? `Add "${capability}" to capabilities in easel.json.`
    : `The owner or an editor adds "${capability}" to capabilities in easel.json and runs \`easel deploy --enable\`, or sends ` +
      `PATCH /api/canvases/{id}/capabilities with {"${name}":true}.`;

/**
 * Returns the `hint` of a `CAPABILITY_DISABLED` error: what is off, who can switch it on, and how. With `isDev`, the reader has the folder
 * of the canvas.
 */
export function hintFor(capability: Capability, reason: DisabledReason, isDev = false): string {
  const { switch: switchName, operatorHint, operatorRemedy } = CAPABILITIES[capability];
  if (reason === "backend_off")
    return `The backend is switched off for this canvas. ${remedyFor(capability, "backendEnabled", isDev)}`;
  if (reason === "feature_off")
    return `${capability} is switched off for this canvas. ${remedyFor(capability, switchName ?? capability, isDev)}`;
  const who = isDev ? "Set it before you start easel dev" : "An administrator can change that";
  return operatorHint === null ? `${who}.` : `${operatorHint} ${who}: ${operatorRemedy}.`;
}
