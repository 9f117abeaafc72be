import { announceAccess } from "../../canvases/access-events.ts";
import type { Env } from "../../env.ts";
import { writeAudit } from "../../organisation/audit.ts";
import type { Call } from "../primitive.ts";

/** A change of a canvas as the audit log names it. */
interface Change {
  act: "authoring.create" | "authoring.update" | "authoring.deploy" | "authoring.revoke";
  canvas: string;
  target?: string;
  /** Contains no secrets. */
  details?: object;
}

/** Records a change in the audit log, and has the access of open connections to the canvas rechecked. */
export async function recordChange(
  { user, address, canvas: page }: Call,
  { act, canvas, target, details }: Change,
  env: Env,
): Promise<void> {
  await announceAccess({ canvas }, env);
  const entry = { act, canvas, target: target ?? null, details: { ...details, page: page.id } };
  await writeAudit({ actor: user, address, ...entry }, env);
}
