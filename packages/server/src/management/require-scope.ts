import { TOKEN_SCOPES, type TokenScope } from "@easel/protocol/management";
import { type ManagementUse, scopeObjection } from "../access/restriction.ts";
import type { Method } from "../http/methods.ts";
import { refuse } from "../http/refusal.ts";
import type { Call } from "./call.ts";
import type { CallerName } from "./callers.ts";

/** The part of an act that decides which access tokens may perform it. */
export interface Scoped {
  method: Method;
  /** The path, with the parameters in braces, such as `/api/canvases/{id}`. */
  path: string;
  /** The group of callers that may perform the act. */
  allow: CallerName;
  /**
   * Whether access tokens with the scope `deploy` may perform the act, or the fields of the body that they may set. By default they may
   * perform every GET that is not for administrators only.
   */
  deploys?: boolean | readonly string[];
  /**
   * Whether access tokens that are valid for one canvas may perform the act, although its path names no canvas. The act then leaves out
   * all other canvases.
   */
  ofAnyCanvas?: true;
}

/** The paths of acts on one canvas, whose id is the parameter `id`. */
const CANVAS_PATH = /^\/api\/canvases\/\{id\}(\/|$)/;

const useOf = ({ method, allow, deploys }: Scoped): ManagementUse => {
  const reads = method === "GET";
  return { reads, deploys: deploys === undefined ? reads && allow !== "administrator" : deploys !== false };
};

/** Returns the scopes of the access tokens that may perform an act. */
export const scopesOf = (act: Scoped): TokenScope[] =>
  act.allow === "session"
    ? []
    : TOKEN_SCOPES.filter((scope) => scopeObjection({ scope, canvasId: null }, useOf(act)) === null);

/**
 * Throws if the access token of a call does not allow the act: 404 `NOT_FOUND` if the act is on another canvas than that of the token, as
 * for a caller without a role, otherwise 403 `PERMISSION_DENIED`. Does nothing for callers without a restricted token.
 */
export function requireScope({ user: { restriction }, params }: Call, act: Scoped): void {
  if (restriction === null) return;
  if (restriction.canvasId !== null && act.ofAnyCanvas !== true) {
    if (!CANVAS_PATH.test(act.path)) deny("This access token is for one canvas.");
    if (params.id !== restriction.canvasId) refuse("NOT_FOUND");
  }
  const objection = scopeObjection(restriction, useOf(act));
  if (objection !== null) deny(objection);
}

/**
 * Throws 403 `PERMISSION_DENIED` if the body of a call sets a field that the scope `deploy` does not include. Does nothing for callers
 * without an access token of that scope.
 */
export function requireFields({ user: { restriction } }: Call, { deploys }: Scoped, body: unknown): void {
  if (restriction?.scope !== "deploy" || !Array.isArray(deploys)) return;
  const other = Object.keys(Object(body)).find((field) => !deploys.includes(field));
  if (other !== undefined) deny(`This access token can only deploy. It cannot set \`${other}\`.`);
}

const deny = (message: string): never => refuse("PERMISSION_DENIED", { message });
