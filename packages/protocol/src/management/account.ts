/** A session of the caller. `current` is true for the session that sent the request. */
export interface SessionInfo {
  id: string;
  createdAt: number;
  expiresAt: number;
  address: string;
  userAgent: string;
  current: boolean;
}

/** The response of `GET /api/sessions`, newest first. */
export interface SessionList {
  sessions: SessionInfo[];
}

/**
 * The scopes of personal access tokens. `full` allows everything that the user may do, except managing tokens and sessions. `deploy` allows
 * reading the management API and deploying canvases. `read` allows only reading.
 */
export const TOKEN_SCOPES = ["full", "deploy", "read"] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** A personal access token without its secret. */
export interface TokenInfo {
  id: string;
  name: string;
  scope: TokenScope;
  /**
   * The only canvas for which the token is valid; null if it is valid for every canvas. `title` and `slug` are null while the user of the
   * token has no role on the canvas or the canvas is deleted.
   */
  canvas: { id: string; title: string | null; slug: string | null } | null;
  createdAt: number;
  expiresAt: number | null;
  usedAt: number | null;
}

/** The response of `GET /api/tokens`, newest first. */
export interface TokenList {
  tokens: TokenInfo[];
  nextCursor: string | null;
}

/** A new access token; `token` is its secret and is returned only once. */
export interface NewToken {
  id: string;
  token: string;
}

/** What an access token is for: `/api` and `/v1`, or the tools of `/mcp`. */
export const TOKEN_AUDIENCES = ["api", "mcp"] as const;
export type TokenAudience = (typeof TOKEN_AUDIENCES)[number];

/** The kinds of mails that people can turn off: somebody shares a canvas with them, asks for access to one of theirs, a quota of theirs is nearly used up. */
export const MAIL_SWITCHES = ["shared", "asked", "quota"] as const;

/** Which of these mails a person gets. */
export type MailSwitches = Record<(typeof MAIL_SWITCHES)[number], boolean>;

/** The response of `GET /api/me/mails`. `sent`: whether this instance sends mails at all. */
export interface OwnMails extends MailSwitches {
  sent: boolean;
}
