import type { Canvas } from "../../canvases/access-lookup.ts";
import { refuse } from "../../http/refusal.ts";
import { includesScope } from "../scope-order.ts";
import type { Acting } from "../tool-call.ts";

/** Whether everyone with the address of a canvas may open it and the connected tool has not the scope `full`. */
export const isTooPublic = (
  { app: { scope } }: Pick<Acting, "app">,
  { access }: Pick<Canvas, "access">,
): boolean => access === "public_link" && !includesScope(scope, "full");

/**
 * Throws 403 `PERMISSION_DENIED` if everyone with the address of a canvas may open it and the connected tool has not the scope `full`: what it
 * publishes there leaves the organisation. `what` is what it may not do, as in "publish a version".
 */
export function requireNotPublic(
  call: Acting,
  canvas: Pick<Canvas, "access">,
  what: string,
  hint = "Ask your person to do it, or to connect again and allow everything.",
): void {
  if (!isTooPublic(call, canvas)) return;
  refuse("PERMISSION_DENIED", {
    message: `Everyone who has the address of this canvas can open it, without a sign-in. To ${what} there needs the scope \`full\`, and this connection has \`${call.app.scope}\`.`,
    hint,
  });
}

/** What a tool says after it has published something on a canvas that everyone can open. */
export const PUBLIC_NOTE = "Everyone who has the address can see this, without a sign-in: tell your person.";
