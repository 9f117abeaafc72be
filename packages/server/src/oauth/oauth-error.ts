import { Refusal } from "../http/refusal.ts";

/** The error codes of OAuth (RFC 6749, sections 4.1.2.1 and 5.2; RFC 8628, section 3.5; RFC 7009, section 2.2.1). */
export type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_scope"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "access_denied"
  | "authorization_pending"
  | "slow_down"
  | "expired_token"
  | "temporarily_unavailable";

/**
 * Throws a `Refusal` with an OAuth error: its body has the fields `error` and `error_description`. `description` is ASCII without double
 * quotes and backslashes.
 */
export function refuseOAuth(error: OAuthErrorCode, description: string, status = 400): never {
  throw new Refusal(status, { error, error_description: description, message: description });
}
