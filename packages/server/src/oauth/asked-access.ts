import { TOKEN_SCOPES, type TokenScope } from "@easel/protocol/management";
import { isId } from "../crypto/ids.ts";
import { refuseOAuth } from "./oauth-error.ts";

const MAX_HOST_LENGTH = 64;

/** The access that a program asks for. */
export interface AskedAccess {
  /** The name of the computer on which the program runs. The program chooses it. */
  host: string;
  scope: TokenScope;
  /** The only canvas for which the token will be valid; null for every canvas. */
  canvasId: string | null;
}

/**
 * Reads the parameters `host`, `scope` and `canvas`. `param` returns the parameter with a name. The default scope is `full`. Throws an
 * OAuth error if the scope is unknown or the canvas id is malformed.
 */
export function readAskedAccess(param: (name: string) => string | undefined): AskedAccess {
  const asked = param("scope") ?? "full";
  const scope = TOKEN_SCOPES.find((each) => each === asked);
  if (scope === undefined) refuseOAuth("invalid_scope", `The scopes are ${TOKEN_SCOPES.join(", ")}.`);
  const canvasId = param("canvas") ?? null;
  if (canvasId !== null && !isId(canvasId)) refuseOAuth("invalid_request", "`canvas` is no id of a canvas.");
  return { host: cleanHost(param("host") ?? ""), scope, canvasId };
}

/**
 * Reduces the name of a computer to letters, digits, dots, hyphens and underscores. Without spaces, the name cannot pass for a sentence of
 * the page that shows it.
 */
export const cleanHost = (given: string): string =>
  given
    .toWellFormed()
    .slice(0, 1_000)
    .replace(/[^\p{L}\p{N}._-]/gu, "")
    .slice(0, MAX_HOST_LENGTH)
    .toWellFormed()
    .replaceAll("\ufffd", "") || "unnamed";

/** Returns the name of the token that the command line on a computer gets. */
export const tokenNameFor = ({ host }: Pick<AskedAccess, "host">): string => `easel on ${host}`;
