import type { TokenScope } from "@easel/protocol/management";
import type { User } from "../../access/principal.ts";
import type { CanvasData } from "../../canvases/canvas-data.ts";
import { isToken, newToken, tokenHash } from "../../crypto/ids.ts";
import { sql } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import type { Caller } from "../../identity/credential.ts";
import { storeFor } from "../../identity/lock-credential.ts";
import type { AppRequest } from "./app-request.ts";
import type { AppRights } from "./app-rights.ts";

/** The time within which a program must exchange a code. */
const LIFETIME_MS = 60_000;
/** The maximum number of unexpired codes of a person. Used codes count, too. */
const MAX_CODES = 50;

/** The authorization codes of programs, of which some are for one canvas. */
export const appCodeData: CanvasData = {
  tables: { app_codes: { key: ["secret_hash"] } },
  people: { app_codes: { ids: ["user_id"], erased: "removed", exported: null } },
  cleanUps: [
    {
      what: "authorization codes of programs",
      // The second use of a code, also of an expired one, ends the connected tool that the first use gave.
      keptMs: 60 * 60 * 1000,
      remove: (until, { db }) => db.withReserve.run`delete from app_codes where expires_at <= ${until}`,
    },
  ],
};

/** A stored authorization code of a program, and the e-mail address of the person who has allowed it. */
export interface AppCode {
  secret_hash: string;
  user_id: string;
  email: string;
  client_id: string;
  client_name: string;
  client_host: string | null;
  verified: number;
  redirect_uri: string;
  challenge: string;
  scope: TokenScope;
  canvas_id: string | null;
  own_only: number;
  confirms: number;
  /** The connected tool that the code has given; null until then. */
  app_id: string | null;
  expires_at: number;
}

/**
 * Stores an authorization code for what a person allows, and returns it. Returns null if the person has too many. Throws 401 if their credential
 * has ended.
 */
export async function addAppCode(
  caller: Caller<User>,
  { client, redirectUri, challenge }: AppRequest,
  { scope, canvasId, ownOnly, confirms }: AppRights,
  env: Env,
): Promise<string | null> {
  const { id } = caller.user;
  const code = newToken();
  const now = env.clock();
  const insert = sql`
    insert into app_codes (secret_hash, user_id, client_id, client_name, client_host, verified, redirect_uri, challenge, scope, canvas_id,
      own_only, confirms, expires_at)
    select cast(${tokenHash(code)} as text), cast(${id} as text), cast(${client.id} as text), cast(${client.name} as text),
      cast(${client.host} as text), cast(${client.verified ? 1 : 0} as integer), cast(${redirectUri} as text),
      cast(${challenge} as text), cast(${scope} as text), cast(${canvasId} as text), cast(${ownOnly ? 1 : 0} as integer),
      cast(${confirms ? 1 : 0} as integer), cast(${now + LIFETIME_MS} as bigint)
    where (select count(*) from app_codes where user_id = ${id} and expires_at > ${now}) < ${MAX_CODES}`;
  return (await storeFor(caller, insert, env)) ? code : null;
}

/** Finds an authorization code of a program in any state. */
export async function findAppCode(code: string, { db }: Env): Promise<AppCode | undefined> {
  if (!isToken(code)) return undefined;
  return db.get<AppCode>`
    select app_codes.*, email from app_codes join users on users.id = user_id where secret_hash = ${tokenHash(code)}`;
}
