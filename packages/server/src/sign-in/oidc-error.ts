import type { ErrorCode } from "@easel/protocol/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { html, sendPage } from "../http/html.ts";
import { logIds } from "../http/log.ts";
import { firstValue, type Query } from "../http/query.ts";
import { refuse } from "../http/refusal.ts";
import { wantsPage } from "../http/request-headers.ts";
import { noteRefusedSignIn } from "../http/security-log.ts";
import { safeReturn } from "./challenge.ts";
import { readFlow } from "./oidc-flow.ts";

/** The response to a failed sign-in. */
interface Failure {
  status: number;
  code: ErrorCode;
  title: string;
  text: string;
  /** Whether to offer signing in with another account. */
  other?: boolean;
}

/** The kinds of failed sign-ins, with their responses. */
const FAILURES = {
  unreachable: {
    status: 503,
    code: "UNAVAILABLE",
    title: "The sign-in service does not answer",
    text: "Try again in a moment. If it stays like this, tell the people who run this service.",
  },
  invalid_response: {
    status: 503,
    code: "UNAVAILABLE",
    title: "Signing in does not work right now",
    text: "The sign-in service gave an answer that cannot be relied on. Its cause is in the log of this service.",
  },
  malformed: {
    status: 400,
    code: "INVALID_BODY",
    title: "This address is not complete",
    text: "It is where the sign-in service sends you back to, and cannot be opened by itself.",
  },
  expired: {
    status: 400,
    code: "INVALID_BODY",
    title: "This sign-in has run out",
    text: "It took more than ten minutes, has ended already, or this browser kept no cookie of it.",
  },
  cancelled: {
    status: 403,
    code: "PERMISSION_DENIED",
    title: "You are not signed in",
    text: "The sign-in service says that you did not agree to sign in.",
  },
  unverified: {
    status: 403,
    code: "PERMISSION_DENIED",
    title: "Your e-mail address is not verified",
    text: "The sign-in service does not say that an e-mail address is yours. Verify it there, or use another account.",
    other: true,
  },
  not_allowed: {
    status: 403,
    code: "PERMISSION_DENIED",
    title: "This address may not sign in here",
    text: "It lies outside the domains that this service admits, or is of a kind that it cannot use.",
    other: true,
  },
  not_in_group: {
    status: 403,
    code: "PERMISSION_DENIED",
    title: "You are in no group that may sign in here",
    text: "The people who run this service decide which groups may. The administrators of the sign-in service can add you to one.",
    other: true,
  },
  groups_elsewhere: {
    status: 403,
    code: "PERMISSION_DENIED",
    title: "You are in too many groups",
    text: "The sign-in service did not send them, so this service cannot tell whether you may sign in. Tell the people who run it.",
    other: true,
  },
  other_account: {
    status: 403,
    code: "PERMISSION_DENIED",
    title: "This address belongs to another account",
    text: "Somebody has signed in here with the same address and another account of the sign-in service. An administrator of this service can say which of the two it is.",
    other: true,
  },
  address_taken: {
    status: 403,
    code: "PERMISSION_DENIED",
    title: "Your new address belongs to somebody else here",
    text: "The sign-in service says that your address has changed, and another person of this service has the new one. Ask an administrator of this service.",
    other: true,
  },
  weak: {
    status: 403,
    code: "PERMISSION_DENIED",
    title: "This service needs a stronger sign-in",
    text: "The sign-in service did not confirm the kind of sign-in that is asked for, such as a second factor. Set it up there, then try again.",
    other: true,
  },
  stale: {
    status: 403,
    code: "PERMISSION_DENIED",
    title: "Your sign-in was too long ago",
    text: "The sign-in service did not confirm that it has just asked for your password. Sign in there again.",
    other: true,
  },
  deactivated: {
    status: 403,
    code: "PERMISSION_DENIED",
    title: "Your account here is deactivated",
    text: "An administrator has closed it.",
    other: true,
  },
  rate_limited: {
    status: 429,
    code: "RATE_LIMITED",
    title: "Too many sign-ins at once",
    text: "Wait a minute, then try again.",
  },
} as const satisfies Record<string, Failure>;

/** Who was refused, for the log. */
export interface Refused {
  issuer: string;
  subject: string;
  email: string | null;
}

/** Thrown when a sign-in fails. The message is logged and contains no secrets. */
export class OidcError extends Error {
  readonly kind: keyof typeof FAILURES;
  /** Null if the provider has not said who it is. */
  refused: Refused | null = null;

  constructor(kind: keyof typeof FAILURES, why: string) {
    super(why);
    this.kind = kind;
  }
}

/** The OAuth error codes of a provider that is temporarily out of order. */
const TEMPORARY = ["server_error", "temporarily_unavailable"];

/** Converts an error of the library `openid-client` to an OidcError. */
export function oidcErrorOf(error: unknown): OidcError {
  return error instanceof OidcError ? error : new OidcError(kindOf(error), causeOf(error));
}

function kindOf(error: unknown): OidcError["kind"] {
  const { error: code = "", cause } = error as { error?: string; cause?: unknown };
  if (code === "access_denied") return "cancelled";
  // The provider sends `invalid_grant` if the authorization code was used before, has expired, or belongs to another browser.
  if (code === "invalid_grant") return "expired";
  const fails = TEMPORARY.includes(code) || (cause instanceof Response && cause.status >= 500);
  return fails || isConnectionError(error) ? "unreachable" : "invalid_response";
}

/** Whether an error means that the provider sent no response. `fetch` throws a TypeError when the connection fails. */
const isConnectionError = (error: unknown): boolean =>
  error instanceof Error &&
  (["TypeError", "TimeoutError"].includes(error.name) || isConnectionError(error.cause));

/** The classes of errors whose messages contain no values from requests or responses, so that they may be logged. */
const LOGGABLE = ["ClientError", "OperationProcessingError", "UnsupportedOperationError", "OidcError"];

/** Describes the cause of an error for the log, without values from requests or responses. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { code, error: oauthCode, cause } = error as { code?: unknown; error?: unknown; cause?: unknown };
  const message = LOGGABLE.includes(error.constructor.name) ? error.message : undefined;
  const parts = [error.constructor.name, code, oauthCode, message].filter((part) => typeof part === "string");
  return parts.join(" ").slice(0, 300) + (cause instanceof Error ? `: ${causeOf(cause)}` : "");
}

/** Sends the response to an OidcError: for a browser a page with a link to try again, otherwise JSON. Rethrows any other error. */
export function sendOidcError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
): FastifyReply {
  if (!(error instanceof OidcError)) throw error;
  const { status, code, title, text, other = false }: Failure = FAILURES[error.kind];
  const { kind, message: why, refused } = error;
  env.log.warn({ ...logIds(request), kind, why, client: request.ip, ...refused }, "a sign-in failed");
  noteRefusedSignIn(kind, { why, ...refused }, request, env);
  if (!wantsPage(request.headers)) return refuse(code, { message: `${title}. ${text}` }, status);
  const query = request.query as Query;
  const returnTo = firstValue(query, "returnTo") ?? readFlow(firstValue(query, "state") ?? "", env)?.returnTo;
  const again = new URLSearchParams({
    returnTo: safeReturn(returnTo, env.base),
    ...(other && { anew: "1" }),
  });
  return sendPage(reply.code(status), {
    title,
    narrow: true,
    body: html`<h1>${title}</h1><p>${text}</p>
      <a class="button" href="/auth/login?${again.toString()}">${other ? "Use another account" : "Try again"}</a>`,
  });
}
