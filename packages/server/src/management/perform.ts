import { announceAccess } from "../canvases/open-connections.ts";
import type { Env } from "../env.ts";
import { Refusal } from "../http/refusal.ts";
import { reauthenticate } from "../identity/identify.ts";
import { writeAudit } from "../organisation/audit.ts";
import { challengeAgain } from "../sign-in/challenge.ts";
import type { Act, Result } from "./act.ts";
import type { Call } from "./callers.ts";

/** Announces that an act may have changed who has access, so that the open connections that it affects are checked again. */
async function announce({ affects }: Act, canvas: string | undefined, { user, params }: Call, env: Env) {
  if (affects === undefined) return;
  const people = [user.id, params.id ?? ""];
  await announceAccess(canvas === undefined ? { people } : { canvas }, env);
}

/**
 * Performs an operation of the management API and records it in the audit log (decision 012). If the operation can change who has access,
 * announces this once it has run. A refused operation has changed nothing and announces nothing. `address` is the IP address of the client.
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
    ...((await reauthenticate(call, env)) ?? challengeAgain(call, env)),
  });
  const inPath = act.affects === "canvas" ? params.id : undefined;
  const run = await act.prepare(call, reauthenticated, env);
  let result: Result<Body>;
  try {
    result = await run();
  } catch (error) {
    // Any other error than a Refusal leaves open whether the act has been done, for example if the database did not answer in time.
    if (!(error instanceof Refusal)) await announce(act, inPath, call, env);
    throw error;
  }
  const canvas = result.audit?.canvas ?? inPath;
  await announce(act, canvas, call, env);
  if (act.audited) {
    const { target = null, details = null } = result.audit ?? {};
    const entry = { act: act.name, canvas: canvas ?? null, target, details };
    await writeAudit({ actor: user, address, ...entry }, env);
  }
  return result;
}
