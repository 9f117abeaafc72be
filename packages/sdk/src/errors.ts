import type { Capability, DisabledReason } from "@easel/protocol/capabilities";
import type { ErrorCode } from "@easel/protocol/errors";
import type { FrameErrorCode } from "@easel/protocol/realtime";
import type { AuthoredCanvas } from "@easel/protocol/types";
import type { CollectionRecord } from "./collections.ts";

/**
 * The stable code of an error: the code in the response, or `REQUEST_FAILED` if there is none. `DISCONNECTED`, `CHANNEL_CLOSED`,
 * `NO_STREAM`, `MALFORMED_FRAME` and `AI_ERROR` come from the SDK itself.
 */
export type EaselErrorCode =
  | ErrorCode
  | FrameErrorCode
  | "REQUEST_FAILED"
  | "DISCONNECTED"
  | "CHANNEL_CLOSED"
  | "NO_STREAM"
  | "MALFORMED_FRAME"
  | "AI_ERROR"
  | (string & Record<never, never>);

/** The fields of an error: the HTTP status (0 without a response) and the fields of the response body. */
export interface Failure {
  status: number;
  code?: EaselErrorCode | undefined;
  message?: string | undefined;
  requestId?: string | undefined;
  hint?: string | undefined;
  retryAfter?: number | undefined;
  capability?: Capability | undefined;
  reason?: string | undefined;
  field?: string | undefined;
  signedIn?: boolean | undefined;
  scope?: string | undefined;
  limit?: number | undefined;
  id?: string | undefined;
  stage?: string | undefined;
  current?: AuthoredCanvas | undefined;
  record?: CollectionRecord | undefined;
  cause?: unknown;
}

/**
 * Base class of all errors that the SDK throws. With the `requestId`, the operator can find the request in the log of the service.
 * @example if (error instanceof easel.EaselError && error.code === "RATE_LIMITED") await later(error.retryAfter);
 */
export class EaselError extends Error {
  readonly code: EaselErrorCode;
  readonly status: number;
  readonly requestId: string | undefined;
  /** A sentence for people that says what to do about the error, if the response had one. In that case it is also the `message`. */
  readonly hint: string | undefined;
  /** The number of seconds after which the request may succeed, if the response had the header `Retry-After`. */
  readonly retryAfter: number | undefined;
  /** A more specific reason than the code, if the response had one, such as `invalid_slug` with the code `INVALID_BODY`. */
  readonly reason: string | undefined;
  /** The field of the request that is not valid, such as `messages[0].role`, if the response named one. */
  readonly field: string | undefined;
  /**
   * Whether the viewer is signed in; only in errors with the code `STATIC_ONLY`. A signed-in viewer has no rights that signing in could give.
   */
  readonly signedIn: boolean | undefined;
  /** The present state of the canvas; only in errors with the code `SHARE_CONFLICT` or `UPDATE_PARTIAL`. */
  readonly current: AuthoredCanvas | undefined;
  /** The record as it is now; only in errors with the code `RECORD_CHANGED`. */
  readonly record: CollectionRecord | undefined;

  constructor(failure: Failure) {
    const {
      code = "REQUEST_FAILED",
      status,
      hint,
      message,
      requestId,
      retryAfter,
      reason,
      field,
      signedIn,
      current,
      record,
      cause,
    } = failure;
    super(
      hint ?? message ?? `The service responded with status ${status}.`,
      cause === undefined ? undefined : { cause },
    );
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.hint = hint;
    this.retryAfter = retryAfter;
    this.reason = reason;
    this.field = field;
    this.signedIn = signedIn;
    this.current = current;
    this.record = record;
  }
}

/**
 * The viewer is not signed in, or the session has ended.
 * @example if (error instanceof easel.NotAuthenticatedError) location.reload();
 */
export class NotAuthenticatedError extends EaselError {
  constructor(failure: Failure) {
    super({ ...failure, code: "NOT_AUTHENTICATED", message: failure.message ?? "You are not signed in." });
  }
}

/**
 * The capability is turned off. `reason` is `backend_off` if the backend of the canvas is off, `feature_off` if the capability's own switch
 * is off, and `operator_disabled` if the operator has disabled it. `hint` says how to turn it on.
 * @example if (error instanceof easel.CapabilityDisabledError) show(error.hint);
 */
export class CapabilityDisabledError extends EaselError {
  readonly capability: Capability | undefined;
  declare readonly reason: DisabledReason | undefined;

  constructor(failure: Failure) {
    super(failure);
    this.capability = failure.capability;
  }
}

/**
 * The resource does not exist, or is hidden from this viewer. `code` is always `NOT_FOUND`; `reason` is the code of the
 * response (`OWNER_ONLY`, `ARCHIVED` …), if it had one.
 * @example if (error instanceof easel.NotFoundError) show("This is gone, or was never shared with you.");
 */
export class NotFoundError extends EaselError {
  declare readonly reason: EaselErrorCode | undefined;

  constructor(failure: Failure) {
    super({ ...failure, code: "NOT_FOUND", reason: failure.code });
  }
}

/**
 * A size limit or quota is exceeded; `code` names it (`VALUE_TOO_LARGE`, `KEY_LIMIT` …). With the code `QUOTA_EXCEEDED`, `scope` and
 * `limit` describe the quota, if the response had them.
 * @example if (error instanceof easel.QuotaExceededError) show(error.message);
 */
export class QuotaExceededError extends EaselError {
  readonly scope: string | undefined;
  readonly limit: number | undefined;

  constructor(failure: Failure) {
    super(failure);
    this.scope = failure.scope;
    this.limit = failure.limit;
  }
}

/**
 * Publishing a canvas failed. `id` is the id of the canvas, if it had been created before the failure.
 * @example if (error instanceof easel.PublishFailedError) console.log(error.id);
 */
export class PublishFailedError extends EaselError {
  readonly id: string | undefined;

  constructor(failure: Failure) {
    super(failure);
    this.id = failure.id;
  }
}

/**
 * The settings of a canvas were saved, but the deploy of its new version failed at the step `stage`. `current` is the saved canvas.
 * @example if (error instanceof easel.UpdatePartialError) console.log(error.stage, error.current?.version);
 */
export class UpdatePartialError extends EaselError {
  readonly stage: string | undefined;

  constructor(failure: Failure) {
    super(failure);
    this.stage = failure.stage;
  }
}

const CLASSES = {
  EaselError,
  NotAuthenticatedError,
  CapabilityDisabledError,
  NotFoundError,
  QuotaExceededError,
  PublishFailedError,
  UpdatePartialError,
};

// The names are set before any instance exists, so that `error.stack` begins with them although the bundle is minified.
for (const [name, { prototype }] of Object.entries(CLASSES)) prototype.name = name;

const QUOTA_CODES = [
  "QUOTA_EXCEEDED",
  "GUEST_AI_CAP",
  "KEY_LIMIT",
  "CONNECTION_LIMIT",
  "CONNECTION_RATE_LIMIT",
];

/**
 * The error classes (specification 7), each with its condition. The first row whose condition matches determines the class. If none
 * matches, the class is `EaselError`.
 */
const MAPPING: [matches: (failure: Failure) => boolean, type: new (failure: Failure) => EaselError][] = [
  [({ status }) => status === 401, NotAuthenticatedError],
  [({ status, code }) => status === 403 && code === "CAPABILITY_DISABLED", CapabilityDisabledError],
  [({ status, code }) => status === 404 && code !== "CONNECTION_NOT_GRANTED", NotFoundError],
  [({ code }) => code === "PUBLISH_FAILED", PublishFailedError],
  [({ code }) => code === "UPDATE_PARTIAL", UpdatePartialError],
  [({ status, code = "" }) => status === 413 || QUOTA_CODES.includes(code), QuotaExceededError],
];

/**
 * Converts an error response to an error. `body` is the parsed body of the response, or undefined if it is not JSON. `retryAfter` is its
 * header `Retry-After`, in seconds.
 */
export function toError(status: number, body: unknown, retryAfter?: string | null): EaselError {
  const { code, message, ...fields } = Object(body) as Record<string, unknown>;
  const failure: Failure = {
    ...fields,
    status,
    code: text(code),
    message: text(message),
    retryAfter: /^\d+$/.test(retryAfter ?? "") ? Number(retryAfter) : undefined,
  };
  const [, type] = MAPPING.find(([matches]) => matches(failure)) ?? [null, EaselError];
  return new type(failure);
}

/** Returns a 400 `INVALID_BODY` error for an argument that the service would reject with this code, or that a URL cannot contain. */
export function invalid(message: string, cause?: unknown): EaselError {
  return new EaselError({ status: 400, code: "INVALID_BODY", message, cause });
}

/** Returns the value if it is a string, otherwise undefined. */
export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
