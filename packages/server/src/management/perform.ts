import { announceAccess } from "../canvases/access-events.ts";
import type { Env } from "../env.ts";
import { reauthenticate } from "../identity/reauthenticate.ts";
import { writeAudit } from "../organisation/audit.ts";
import { challenge } from "../sign-in/challenge.ts";
import type { Act, Result } from "./act.ts";
import type { Call } from "./call.ts";

/**
 * Performs an operation of the management API and records it in the audit log. If the operation can change who has access, announces this,
 * so that open connections are checked again. `address` is the IP address of the client.
 */
export async function perform<Body>(
  act: Act<Body>,
  call: Call,
  address: string,
  env: Env,
): Promise<Result<Body>> {
  const { user, params } = call;
  const reauthenticated = async () => ({
    ...call,
    user: (await reauthenticate(user, call.request, env)) ?? challenge(call.request, "api", env),
  });
  let canvas = act.affects === "canvas" ? params.id : undefined;
  let result: Result<Body>;
  try {
    result = await act.perform(call, reauthenticated, env);
    canvas = result.audit?.canvas ?? canvas;
  } finally {
    // Changes of access are announced after a failure too, because parts of the act may have been done.
    if (act.affects !== undefined) {
      const people = [user.id, params.id ?? ""];
      await announceAccess(canvas === undefined ? { people } : { canvas }, env);
    }
  }
  if (act.audited) {
    const { target = null, details = null } = result.audit ?? {};
    const entry = { act: act.name, canvas: canvas ?? null, target, details };
    await writeAudit({ actor: user, address, ...entry }, env);
  }
  return result;
}
