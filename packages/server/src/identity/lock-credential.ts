import type { User } from "../access/principal.ts";
import { lockUser } from "../canvases/owner-quotas.ts";
import { type NamedStep, type Sql, sql, step } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { refuseAnonymous } from "../http/refusal.ts";
import type { Caller } from "./credential.ts";

/** A person with what proves who they are. */
type Proven = Pick<Caller<User>, "user" | "credential">;

function lockOf({ user, credential }: Proven, { clock }: Pick<Env, "clock">): Sql {
  if (credential?.kind === "session")
    return sql`update sessions set expires_at = expires_at where id = ${credential.id} and expires_at > ${clock()}`;
  if (credential?.kind === "token")
    return sql`update tokens set expires_at = expires_at
      where id = ${credential.id} and (expires_at is null or expires_at > ${clock()})`;
  return lockUser(user.id);
}

/**
 * Builds the batch step that requires that the session or access token of a person still exists. Every batch that stores what gives a program
 * access has it (decision 140). It locks the row, also against other nodes: what ends the session waits for the batch, and then ends what it has
 * stored, too. If the credential has ended, the step changes no row, which rolls back the batch with the outcome "ended".
 */
export const lockCredential = (caller: Proven, env: Pick<Env, "clock">): NamedStep<"ended"> =>
  step("ended", lockOf(caller, env));

/**
 * Performs a statement that stores an answer of a person to a program. Returns false if it changes no row. Throws 401 if the credential of the
 * person has ended.
 */
export async function storeFor(caller: Proven, statement: Sql, env: Env): Promise<boolean> {
  const outcome = await env.db.withReserve.batch([lockCredential(caller, env), step("refused", statement)]);
  if (outcome === "ended") refuseAnonymous();
  return outcome === "done";
}
