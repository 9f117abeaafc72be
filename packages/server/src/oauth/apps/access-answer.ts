import type { TokenScope } from "@easel/protocol/management";
import type { Sql } from "../../drivers/db/db.ts";
import { newAppToken } from "../../identity/tokens.ts";
import { newRefreshToken } from "./refresh-tokens.ts";

const HOUR_MS = 60 * 60 * 1000;

/**
 * Makes an access token for an hour and a refresh token of a connected tool. Returns the statements that store them, of which the first
 * changes no row if the connected tool has ended, and the response to the program (RFC 6749, section 5.1). `predecessor` is the hash of the
 * refresh token for which they are given; null for the first.
 */
export function newAccess(
  app: { id: string; scope: TokenScope; endsAt: number },
  predecessor: string | null,
  now: number,
): { inserts: [Sql, Sql]; answer: object } {
  const expiresAt = Math.min(now + HOUR_MS, app.endsAt);
  const access = newAppToken(app.id, { expiresAt }, { clock: () => now });
  const given = { appId: app.id, tokenId: access.id, predecessor };
  const { refreshToken, insert } = newRefreshToken(given, now);
  return {
    inserts: [access.insert, insert],
    answer: {
      access_token: access.token,
      token_type: "Bearer",
      expires_in: Math.floor((expiresAt - now) / 1000),
      refresh_token: refreshToken,
      scope: app.scope,
    },
  };
}
