import type { Principal } from "../access/principal.ts";
import type { Env } from "../env.ts";
import { apiPath, runtimePath } from "../http/canvas-path.ts";
import { cookiesNamed, setCookie } from "../http/request-headers.ts";

/** The name of the cookie that proves that a caller entered the password of a canvas (specification 4.1). */
const COOKIE = "__service_gate";

const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** The fields of a canvas that are needed to make or check its password cookie. */
interface GatedCanvas {
  id: string;
  slug: string;
  passwordHash: string | null;
}

/**
 * Returns the values that the signature of a password cookie covers. A password hash contains a random salt, so setting even the same
 * password again invalidates all cookies.
 */
const signedParts = ({ id, passwordHash }: GatedCanvas, principal: Principal, expires: string): string[] => [
  id,
  passwordHash ?? "",
  principal.kind === "visitor" ? "anonymous" : principal.id,
  expires,
];

const NONE: readonly string[] = [];

/** Returns the values of the password cookies in a `Cookie` header. */
export const passesIn = (header: string | undefined): readonly string[] =>
  header?.includes(COOKIE) === true ? cookiesNamed(header, COOKIE) : NONE;

/**
 * Whether a caller may pass the password check of a canvas: the canvas has no password, or one of `passes`, the values of the caller's
 * password cookies, is valid for the current password and for this caller.
 */
export function gateIsOpen(
  canvas: GatedCanvas,
  principal: Principal,
  passes: readonly string[],
  env: Env,
): boolean {
  if (canvas.passwordHash === null) return true;
  for (const value of passes) {
    const [expires = "", signature = "", ...more] = value.split(".");
    if (more.length > 0 || !(Number(expires) > env.clock())) continue;
    if (env.signer.verifies(signature, "gate", ...signedParts(canvas, principal, expires))) return true;
  }
  return false;
}

/**
 * Returns the `Set-Cookie` headers that let a caller pass the password check of a canvas: one for the canvas's pages, and one for each path
 * of its runtime API on the base host.
 */
export function openGate(canvas: GatedCanvas, principal: Principal, { base, clock, signer }: Env): string[] {
  const expires = String(clock() + LIFETIME_MS);
  const value = `${expires}.${signer.sign("gate", ...signedParts(canvas, principal, expires))}`;
  const options = { maxAge: LIFETIME_MS, secure: base.secure };
  const domain = base.urlMode === "subdomain" ? { domain: base.hostname } : {};
  return [
    setCookie(COOKIE, value, { ...options, path: new URL(base.canvasUrl(canvas.slug)).pathname }),
    ...[apiPath(canvas.slug), runtimePath(canvas.id)].map((path) =>
      setCookie(COOKIE, value, { ...options, ...domain, path }),
    ),
  ];
}
