import { lockUser } from "../../canvases/owner-quotas.ts";
import { sql, step } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { endingSteps } from "../../identity/apps.ts";
import { auditEntry } from "../../organisation/audit.ts";

/** Why a connected tool has ended without its person. */
type Reason = "revoked by the program" | "code used twice" | "refresh token used twice";

/** A connected tool, and the person for whom it acts. */
interface Ending {
  app_id: string | null;
  client_name: string;
  canvas_id: string | null;
  user_id: string;
  email: string;
}

/** Ends a connected tool with all its tokens. Does nothing if it has ended already. `address` is the IP address of the program. */
export async function endApp(ending: Ending, reason: Reason, address: string, env: Env): Promise<void> {
  const { app_id: id, user_id, email, canvas_id: canvas, client_name: client } = ending;
  if (id === null) return;
  const entry = { act: "app.end", canvas, target: id, details: { client, reason } };
  const recorded = auditEntry({ actor: { id: user_id, email }, address, ...entry }, env);
  const outcome = await env.db.withReserve.batch([
    step("gone", lockUser(user_id)),
    step("gone", sql`update apps set user_id = user_id where id = ${id}`),
    ...endingSteps(sql`id = ${id}`),
    recorded.statement,
  ]);
  if (outcome === "done") recorded.log();
}
