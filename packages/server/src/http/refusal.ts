import { ERRORS, type ErrorCode } from "@easel/protocol/errors";

/**
 * An HTTP error or redirect. Throwing it during a request sends it as the response. `http/errors.ts` converts the errors of an unavailable
 * database, a full disk, and 4xx errors of Fastify to a Refusal; any other error is a bug.
 */
export class Refusal extends Error {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(status: number, body: Record<string, unknown>, headers: Record<string, string> = {}) {
    super(String(body.message ?? body.error ?? status));
    this.status = status;
    this.body = body;
    this.headers = headers;
  }

  /** The error code, or undefined if the body has none. */
  get code(): ErrorCode | undefined {
    return this.body.code as ErrorCode | undefined;
  }
}

/** Throws a Refusal with an error code. `fields` are added to the body and can override the default message. */
export function refuse(
  code: ErrorCode,
  fields: Record<string, unknown> = {},
  status: number = ERRORS[code].status,
  headers: Record<string, string> = {},
): never {
  throw new Refusal(status, { code, message: ERRORS[code].message, ...fields }, headers);
}

/**
 * Throws the 401 response to a request without valid credentials (specification 4.1, step 1). Used where the request is not redirected to a
 * sign-in page instead. `fields` are added to the body, `headers` to the response.
 */
export function refuseAnonymous(
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
): never {
  throw new Refusal(401, { error: ERRORS.NOT_AUTHENTICATED.message, ...fields }, headers);
}

/** Throws a `Refusal` that redirects to a location. */
export function redirect(
  location: string,
  status: 302 | 303 | 308 = 302,
  headers: Record<string, string> = {},
): never {
  throw new Refusal(status, { message: `See ${location}` }, { ...headers, location });
}

/** An error that an operation can return: its code, and the status if it is not the usual one of the code. */
export type ErrorCase = ErrorCode | readonly [ErrorCode, status: number];
