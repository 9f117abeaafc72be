import type { Capability, DisabledReason } from "@easel/protocol/capabilities";
import type { ErrorCode } from "@easel/protocol/errors";
import type { FrameErrorCode } from "@easel/protocol/realtime";
import type { AuthoredCanvas } from "@easel/protocol/types";

/** The stable code of an error: the service's, `REQUEST_FAILED` where an answer had none, or the SDK's own of realtime. */
export type EaselErrorCode =
  | ErrorCode
  | FrameErrorCode
  | "REQUEST_FAILED"
  | "DISCONNECTED"
  | "CHANNEL_CLOSED"
  | (string & Record<never, never>);

/** What an error is made of: the HTTP status (0 without an answer) and the fields of the answer's body. */
export interface Failure {
  status: number;
  code?: EaselErrorCode | undefined;
  message?: string | undefined;
  requestId?: string | undefined;
  hint?: string | undefined;
  capability?: Capability | undefined;
  reason?: DisabledReason | undefined;
  id?: string | undefined;
  stage?: string | undefined;
  current?: AuthoredCanvas | undefined;
  cause?: unknown;
}

/**
 * The root of all errors that Easel throws. `requestId` also stands in the service's log.
 * @example if (error instanceof easel.EaselError && error.code === "RATE_LIMITED") await later();
 */
export class EaselError extends Error {
  readonly code: EaselErrorCode;
  readonly status: number;
  readonly requestId: string | undefined;

  constructor({ code = "REQUEST_FAILED", status, hint, message, requestId, cause }: Failure) {
    super(hint ?? message ?? `The service answered ${status}.`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.requestId = requestId;
  }

  // On the prototype, and before any instance, so that `error.stack` begins with the class name even when minified.
  static {
    EaselError.prototype.name = "EaselError";
  }
}

/**
 * The viewer is not signed in, or no longer.
 * @example if (error instanceof easel.NotAuthenticatedError) location.reload();
 */
export class NotAuthenticatedError extends EaselError {
  constructor(failure: Failure) {
    super({ ...failure, code: "NOT_AUTHENTICATED", message: failure.message ?? "You are not signed in." });
  }

  static {
    NotAuthenticatedError.prototype.name = "NotAuthenticatedError";
  }
}

/**
 * The capability is switched off; `hint` says what helps and `reason` who can do it.
 * @example if (error instanceof easel.CapabilityDisabledError) show(error.hint);
 */
export class CapabilityDisabledError extends EaselError {
  readonly hint: string | undefined;
  readonly capability: Capability | undefined;
  readonly reason: DisabledReason | undefined;

  constructor(failure: Failure) {
    super(failure);
    this.hint = failure.hint;
    this.capability = failure.capability;
    this.reason = failure.reason;
  }

  static {
    CapabilityDisabledError.prototype.name = "CapabilityDisabledError";
  }
}

/**
 * There is no such thing, or none for this viewer. `code` is always `NOT_FOUND`;
 * `reason` is the code that the service gave (`OWNER_ONLY`, `ARCHIVED` …), if it gave one.
 * @example if (error instanceof easel.NotFoundError) show("This is gone, or was never shared with you.");
 */
export class NotFoundError extends EaselError {
  readonly reason: EaselErrorCode | undefined;

  constructor(failure: Failure) {
    super({ ...failure, code: "NOT_FOUND" });
    this.reason = failure.code;
  }

  static {
    NotFoundError.prototype.name = "NotFoundError";
  }
}

/**
 * Something is too large or too many; `code` tells what (`VALUE_TOO_LARGE`, `KEY_LIMIT` …).
 * @example if (error instanceof easel.QuotaExceededError) show(error.message);
 */
export class QuotaExceededError extends EaselError {
  static {
    QuotaExceededError.prototype.name = "QuotaExceededError";
  }
}

/**
 * A canvas could not be published; `id` names its record once there is one.
 * @example if (error instanceof easel.PublishFailedError) console.log(error.id);
 */
export class PublishFailedError extends EaselError {
  readonly id: string | undefined;

  constructor(failure: Failure) {
    super(failure);
    this.id = failure.id;
  }

  static {
    PublishFailedError.prototype.name = "PublishFailedError";
  }
}

/**
 * The settings of a canvas were saved and its deploy failed at `stage`; `current` is the saved record.
 * @example if (error instanceof easel.UpdatePartialError) console.log(error.stage, error.current?.version);
 */
export class UpdatePartialError extends EaselError {
  readonly stage: string | undefined;
  readonly current: AuthoredCanvas | undefined;

  constructor(failure: Failure) {
    super(failure);
    this.stage = failure.stage;
    this.current = failure.current;
  }

  static {
    UpdatePartialError.prototype.name = "UpdatePartialError";
  }
}

const QUOTA_CODES = [
  "QUOTA_EXCEEDED",
  "GUEST_AI_CAP",
  "KEY_LIMIT",
  "CONNECTION_LIMIT",
  "CONNECTION_RATE_LIMIT",
];

/** The SDK error mapping of specification 7: the first row that fits gives the class, otherwise `EaselError`. */
const MAPPING: [fits: (failure: Failure) => boolean, type: new (failure: Failure) => EaselError][] = [
  [({ status }) => status === 401, NotAuthenticatedError],
  [({ status, code }) => status === 403 && code === "CAPABILITY_DISABLED", CapabilityDisabledError],
  [({ status, code }) => status === 404 && code !== "CONNECTION_NOT_GRANTED", NotFoundError],
  [({ code }) => code === "PUBLISH_FAILED", PublishFailedError],
  [({ code }) => code === "UPDATE_PARTIAL", UpdatePartialError],
  [({ status, code = "" }) => status === 413 || QUOTA_CODES.includes(code), QuotaExceededError],
];

/** The error that a failed answer stands for; `body` is whatever JSON came with it, if any. */
export function errorOf(status: number, body: unknown): EaselError {
  const { code, message, ...fields } = Object(body) as Record<string, unknown>;
  const failure: Failure = { ...fields, status, code: text(code), message: text(message) };
  const [, type] = MAPPING.find(([fits]) => fits(failure)) ?? [null, EaselError];
  return new type(failure);
}

/** The refusal of a call that the service would answer with 400 `INVALID_BODY`, or could not even be asked. */
export function invalid(message: string, cause?: unknown): EaselError {
  return new EaselError({ status: 400, code: "INVALID_BODY", message, cause });
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
