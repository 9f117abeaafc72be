import type { EaselError } from "@easel/sdk";

/** An error response of the service, or no response at all (status 0). */
export class ApiError extends Error {
  readonly status: number;
  /** The error code, such as `SLUG_TAKEN`. Null if the response does not come from the service but, for example, from a proxy. */
  readonly code: string | null;
  /** What the caller can do, if the service says so. */
  readonly hint: string | null;
  readonly requestId: string | null;
  /** The seconds after which to send the request again, for 429 and 503. */
  readonly retryAfter: number | null;
  /** All fields of the body, such as `currentVersion`. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Record<string, unknown>, retryAfter: number | null = null) {
    const text = (name: string) => (typeof body[name] === "string" ? body[name] : null);
    super(text("message") ?? messageOf(status));
    this.status = status;
    this.code = text("code");
    this.hint = text("hint");
    this.requestId = text("requestId");
    this.retryAfter = retryAfter;
    this.body = body;
  }
}

const messageOf = (status: number): string =>
  status === 0
    ? "The service cannot be reached. Check your connection."
    : `The service answered with status ${status}.`;

/** The caller is not signed in any more. The frame shows a bar for it, so screens need not tell. */
export class SignedOut extends ApiError {
  constructor() {
    super(401, { code: "UNAUTHENTICATED", message: "You are signed out. Sign in again to go on." });
  }
}

/** What is known of a refusal: of an `ApiError`, or of an error of the SDK, by which the data of a canvas is read. */
export interface Refusal {
  status: number;
  code: string | null;
  hint: string | null;
  requestId: string | null;
  retryAfter: number | null;
}

/** Returns what is known of the refusal that an error tells of, or null if it tells of none. */
export function refusalOf(error: Error): Refusal | null {
  if (error instanceof ApiError) return error;
  const { status, code, reason, hint, requestId, retryAfter } = error as Partial<EaselError>;
  if (typeof status !== "number" || typeof code !== "string") return null;
  return {
    status,
    // The SDK has one code for all that is not found.
    code: status === 404 ? (reason ?? code) : code,
    // The SDK says the hint in place of the message.
    hint: hint === error.message ? null : (hint ?? null),
    requestId: requestId ?? null,
    retryAfter: retryAfter ?? null,
  };
}

/** Reads the error in a response that is not ok. */
export async function errorOf(response: Response): Promise<ApiError> {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  const body: unknown = await response.json().catch(() => null);
  const fields = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  return new ApiError(response.status, fields, Number.isFinite(seconds) ? seconds : null);
}

/**
 * Whether a request that has failed may succeed later as it is. 429 says that nothing has been done, so such a request is always safe to
 * repeat; others only if it `isRepeatable`.
 */
export function isPassing({ status, code, retryAfter }: Refusal, isRepeatable = true): boolean {
  if (code === "QUOTA_EXCEEDED") return false;
  if (status === 429) return true;
  return (
    isRepeatable &&
    (status === 0 || status === 502 || (status === 503 && retryAfter !== null) || status === 504)
  );
}
