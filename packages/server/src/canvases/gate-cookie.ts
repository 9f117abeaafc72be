import type { Principal } from "../access/principal.ts";
import type { Env } from "../env.ts";
import { cookiesNamed, setCookie } from "../http/cookies.ts";
import type { Headed } from "../http/headed.ts";

/** The cookie of who has given a canvas's password (specification 4.1). */
const COOKIE = "__service_gate";

const LIFETIME = 7 * 24 * 60 * 60 * 1000;

/** What of a canvas its gate goes by. */
interface Gated {
  id: string;
  slug: string;
  passwordHash: string | null;
}

/** The salt is part of the hash: setting a password closes the gate, even if it is the one from before. */
const parts = ({ id, passwordHash }: Gated, principal: Principal, expires: string): string[] => [
  id,
  passwordHash ?? "",
  principal?.id ?? "anonymous",
  expires,
];

/** Whether a request carries a cookie that opens this very password for this very visitor. Of several, one is enough. */
export function gateIsOpen(canvas: Gated, principal: Principal, { headers }: Headed, env: Env): boolean {
  if (canvas.passwordHash === null) return true;
  for (const value of cookiesNamed(headers.cookie, COOKIE)) {
    const [expires = "", signature = "", ...more] = value.split(".");
    if (more.length > 0 || !(Number(expires) > env.clock())) continue;
    if (env.signer.verifies(signature, "gate", ...parts(canvas, principal, expires))) return true;
  }
  return false;
}

/** The `Set-Cookie` headers that open the gate: for the canvas's pages, and for its runtime API on the base host. */
export function openGate(canvas: Gated, principal: Principal, { base, clock, signer }: Env): string[] {
  const expires = String(clock() + LIFETIME);
  const value = `${expires}.${signer.sign("gate", ...parts(canvas, principal, expires))}`;
  const options = { maxAge: LIFETIME, secure: base.secure };
  return [
    setCookie(COOKIE, value, { ...options, path: new URL(base.canvasUrl(canvas.slug)).pathname }),
    setCookie(COOKIE, value, {
      ...options,
      path: `/v1/c/${canvas.slug}`,
      ...(base.urlMode === "subdomain" ? { domain: base.hostname } : {}),
    }),
  ];
}
