import { announceAccess } from "../../canvases/access-events.ts";
import type { Env } from "../../env.ts";
import { writeAudit } from "../../organisation/audit.ts";
import type { Call } from "../primitive.ts";

/** A change to a canvas, as the audit log records it. `target` is the id of the deployed version. */
interface Change {
  act: "authoring.create" | "authoring.update" | "authoring.deploy" | "authoring.revoke";
  canvas: string;
  target?: string;
  /** Further facts for the audit log. Contains no secrets. */
  details?: object;
}

/** Records a change to a canvas in the audit log, and announces it so that the access of open connections to the canvas is rechecked. */
export async function recordChange(
  { user, address, canvas: page }: Call,
  { act, canvas, target, details }: Change,
  env: Env,
): Promise<void> {
  await announceAccess({ canvas }, env);
  const entry = { act, canvas, target: target ?? null, details: { ...details, page: page.id } };
  await writeAudit({ actor: user, address, ...entry }, env);
}
