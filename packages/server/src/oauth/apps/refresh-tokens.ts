import type { TokenScope } from "@easel/protocol/management";
import { isToken, newToken, tokenHash } from "../../crypto/ids.ts";
import { type Sql, sql } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { refuseInvalidGrant } from "../program-endpoint.ts";
import { endApp } from "./end-app.ts";

/** How long a refresh token is valid. It ends with its connected tool. */
const LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

/** The start of the texts of refresh tokens. */
const PREFIX = "easel_refresh_";

/** Whether a text has the form of a refresh token. */
export const isRefreshToken = (text: string): boolean =>
  text.startsWith(PREFIX) && isToken(text.slice(PREFIX.length));

const hashOf = (token: string): string => tokenHash(token.slice(PREFIX.length));

/** A refresh token with its connected tool and the person. Times are in epoch milliseconds. */
export interface RefreshToken {
  secret_hash: string;
  expires_at: number;
  /** The access token that was given with it. */
  token_id: string;
  app_id: string;
  client_id: string;
  client_name: string;
  scope: TokenScope;
  canvas_id: string | null;
  /** When the connected tool ends. */
  ends_at: number;
  user_id: string;
  email: string;
}

/** Finds a refresh token in any state. Returns undefined if there is none, or its connected tool has ended. */
export async function findRefreshToken(token: string, { db }: Env): Promise<RefreshToken | undefined> {
  if (!isRefreshToken(token)) return undefined;
  return db.get<RefreshToken>`
    select secret_hash, app_refresh_tokens.expires_at, token_id, app_id, client_id, client_name, scope, canvas_id,
      apps.expires_at as ends_at, user_id, email
    from app_refresh_tokens join apps on apps.id = app_id join users on users.id = user_id
    where secret_hash = ${hashOf(token)}`;
}

/** Makes a new refresh token of a connected tool. Returns its text and the statement that stores it, as a hash. */
export function newRefreshToken(
  given: { appId: string; tokenId: string; predecessor: string | null },
  now: number,
): { refreshToken: string; insert: Sql } {
  const refreshToken = PREFIX + newToken();
  const insert = sql`
    insert into app_refresh_tokens (secret_hash, app_id, created_at, expires_at, token_id, predecessor)
    values (${hashOf(refreshToken)}, ${given.appId}, ${now}, ${now + LIFETIME_MS}, ${given.tokenId},
      ${given.predecessor})`;
  return { refreshToken, insert };
}

/**
 * Ends the connected tool of a refresh token, if there is one with this text. Throws `invalid_grant` if the token is that of another client (RFC
 * 7009, section 2.1).
 */
export async function endAppOfRefreshToken(
  token: string,
  clientId: string,
  address: string,
  env: Env,
): Promise<void> {
  const found = await findRefreshToken(token, env);
  if (found === undefined) return;
  if (found.client_id !== clientId) refuseInvalidGrant();
  await endApp(found, "revoked by the program", address, env);
}
