import type { ErrorCode } from "@easel/protocol/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Env } from "../env.ts";
import { html, sendPage } from "../http/html.ts";
import { firstValue, type Query } from "../http/query.ts";
import { refuse } from "../http/refusal.ts";
import { wantsPage } from "../http/wants-page.ts";
import { readFlow } from "./oidc-flow.ts";
import { safeReturn } from "./return-to.ts";

interface Told {
  status: number;
  code: ErrorCode;
  title: string;
  says: string;
  /** Whether only another account helps. */
  other?: boolean;
}

/** Every way a sign-in ends without a session, and what the person reads. */
const FAULTS = {
  silent: {
    status: 503,
    code: "UNAVAILABLE",
    title: "The sign-in service does not answer",
    says: "Try again in a moment. If it stays like this, tell the people who run this service.",
  },
  broken: {
    status: 503,
    code: "UNAVAILABLE",
    title: "Signing in does not work right now",
    says: "The sign-in service gave an answer that cannot be relied on. Its cause is in the log of this service.",
  },
  malformed: {
    status: 400,
    code: "INVALID_BODY",
    title: "This address is not complete",
    says: "It is where the sign-in service sends you back to, and cannot be opened by itself.",
  },
  stale: {
    status: 400,
    code: "INVALID_BODY",
    title: "This sign-in has run out",
    says: "It took more than ten minutes, has ended already, or this browser kept no cookie of it.",
  },
  cancelled: {
    status: 403,
    code: "PERMISSION_DENIED",
    title: "You are not signed in",
    says: "The sign-in service says that you did not agree to sign in.",
  },
  unverified: {
    status: 403,
    code: "PERMISSION_DENIED",
    title: "Your e-mail address is not verified",
    says: "The sign-in service does not say that an e-mail address is yours. Verify it there, or use another account.",
    other: true,
  },
  foreign: {
    status: 403,
    code: "PERMISSION_DENIED",
    title: "This address may not sign in here",
    says: "It lies outside the domains that this service admits, or is of a kind that it cannot use.",
    other: true,
  },
  deactivated: {
    status: 403,
    code: "PERMISSION_DENIED",
    title: "Your account here is deactivated",
    says: "An administrator has closed it.",
    other: true,
  },
  hasty: {
    status: 429,
    code: "RATE_LIMITED",
    title: "Too many sign-ins at once",
    says: "Wait a minute, then try again.",
  },
} as const satisfies Record<string, Told>;

/** Ends a sign-in. The cause goes to the log: no secrets in it. */
export class OidcError extends Error {
  readonly kind: keyof typeof FAULTS;

  constructor(kind: keyof typeof FAULTS, why: string) {
    super(why);
    this.kind = kind;
  }
}

/** What the provider says of itself when it is not well. */
const UNWELL = ["server_error", "temporarily_unavailable"];

/** What an error of the protocol library means for the person who signs in. */
export function oidcErrorOf(error: unknown): OidcError {
  return error instanceof OidcError ? error : new OidcError(kindOf(error), causeOf(error));
}

function kindOf(error: unknown): OidcError["kind"] {
  const { error: told = "", cause } = error as { error?: string; cause?: unknown };
  if (told === "access_denied") return "cancelled";
  // The code was used before, is too old, or was given to another browser.
  if (told === "invalid_grant") return "stale";
  const fails = UNWELL.includes(told) || (cause instanceof Response && cause.status >= 500);
  return fails || isSilence(error) ? "silent" : "broken";
}

/** `fetch` throws a TypeError when there is no connection. */
const isSilence = (error: unknown): boolean =>
  error instanceof Error && (["TypeError", "TimeoutError"].includes(error.name) || isSilence(error.cause));

/** Messages of the protocol library name claims and parameters, not their values; others may quote what they were given. */
const QUOTABLE = ["ClientError", "OperationProcessingError", "UnsupportedOperationError", "OidcFault"];

/** Why something failed, for the log, without a word of what was sent. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { code, error: told, cause } = error as { code?: unknown; error?: unknown; cause?: unknown };
  const message = QUOTABLE.includes(error.constructor.name) ? error.message : undefined;
  const parts = [error.constructor.name, code, told, message].filter((part) => typeof part === "string");
  return parts.join(" ").slice(0, 300) + (cause instanceof Error ? `: ${causeOf(cause)}` : "");
}

/** Answers a fault, with a page and a way to go on for a browser; anything else that was thrown is not ours to answer. */
export function answerOidcError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  env: Env,
): FastifyReply {
  if (!(error instanceof OidcError)) throw error;
  const { status, code, title, says, other = false }: Told = FAULTS[error.kind];
  env.log.warn({ requestId: request.id, fault: error.kind, why: error.message }, "a sign-in failed");
  if (!wantsPage(request.headers)) return refuse(code, { message: `${title}. ${says}` }, status);
  const query = request.query as Query;
  const returnTo = firstValue(query, "returnTo") ?? readFlow(firstValue(query, "state") ?? "", env)?.returnTo;
  const again = new URLSearchParams({
    returnTo: safeReturn(returnTo, env.base),
    ...(other && { anew: "1" }),
  });
  return sendPage(reply.code(status), {
    title,
    narrow: true,
    body: html`<h1>${title}</h1><p>${says}</p>
      <a class="button" href="/auth/login?${again.toString()}">${other ? "Use another account" : "Try again"}</a>`,
  });
}
