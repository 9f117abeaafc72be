import { TOKEN_SCOPES, type TokenScope } from "@easel/protocol/management";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { User } from "../access/principal.ts";
import { findCanvas } from "../canvases/store.ts";
import { isId } from "../crypto/ids.ts";
import type { Env } from "../env.ts";
import { destinationOf } from "../http/cross-site.ts";
import { refuse } from "../http/refusal.ts";
import type { Caller } from "../identity/credential.ts";
import { identify } from "../identity/identify.ts";
import { challenge } from "../sign-in/challenge.ts";
import { refuseOAuth } from "./program-endpoint.ts";

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
const cleanHost = (given: string): string =>
  given
    .toWellFormed()
    .slice(0, 1_000)
    .replace(/[^\p{L}\p{N}._-]/gu, "")
    .slice(0, MAX_HOST_LENGTH)
    .toWellFormed()
    .replaceAll("\ufffd", "") || "unnamed";

/** Returns the name of the token that the command line on a computer gets. */
export const tokenNameFor = ({ host }: Pick<AskedAccess, "host">): string => `easel on ${host}`;

/**
 * Identifies the person who sent a request by their session or the assertion of a proxy; access tokens do not count. Sends a browser that
 * requests a page to the sign-in if nobody is signed in. Throws 403 `PERMISSION_DENIED` for a guest, and for a request that does not load a
 * page in a tab. In path mode, the pages of canvases have the origin of the service, so their scripts could otherwise read a question and
 * answer it.
 */
export async function identifyPerson(
  request: FastifyRequest,
  reply: FastifyReply,
  expects: "api" | "page",
  env: Env,
): Promise<Caller<User>> {
  if (!["document", "unknown"].includes(destinationOf(request.headers)))
    refuse("PERMISSION_DENIED", { message: "This page can only be opened in a tab." });
  const { user, credential, passes } = await identify(request.raw, reply, env);
  if (user.kind === "visitor") return challenge(request.raw, expects, env);
  if (user.kind === "guest")
    refuse("PERMISSION_DENIED", { message: "Guests of a canvas cannot let a program act for them." });
  return { user, credential, passes };
}

/** Returns the person who sent a request, as `identifyPerson` does. */
export const requirePerson = async (...given: Parameters<typeof identifyPerson>): Promise<User> =>
  (await identifyPerson(...given)).user;

/**
 * Returns the title of the only canvas of the requested access, or null if the access is not limited to one. Throws 404 `NOT_FOUND` if the
 * person has no role on the canvas.
 */
export async function titleOfAsked(canvasId: string | null, user: User, env: Env): Promise<string | null> {
  if (canvasId === null) return null;
  const canvas = await findCanvas(canvasId, user, env);
  return (
    canvas?.title ??
    refuse("NOT_FOUND", { message: "You have no canvas of the kind that the program asks for." })
  );
}
