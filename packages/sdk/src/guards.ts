import type {
  CapabilityDisabledError,
  EaselError,
  EaselErrorCode,
  NotAuthenticatedError,
  NotFoundError,
  PublishFailedError,
  QuotaExceededError,
  UpdatePartialError,
} from "./errors.ts";

// The guards compare names and not classes, because a page can contain two copies of the SDK, for example `/sdk/v1.js` and the npm package.

const guard =
  <Type extends EaselError>(name: string) =>
  (error: unknown): error is Type =>
    error instanceof Error && error.name === name;

/** Whether a value is a `NotAuthenticatedError`. @example if (easel.isNotAuthenticated(error)) location.reload(); */
export const isNotAuthenticated = /* @__PURE__ */ guard<NotAuthenticatedError>("NotAuthenticatedError");

/** Whether a value is a `CapabilityDisabledError`. @example if (easel.isCapabilityDisabled(error)) show(error.hint); */
export const isCapabilityDisabled = /* @__PURE__ */ guard<CapabilityDisabledError>("CapabilityDisabledError");

/** Whether a value is a `NotFoundError`. @example if (easel.isNotFound(error)) show("This is gone."); */
export const isNotFound = /* @__PURE__ */ guard<NotFoundError>("NotFoundError");

/** Whether a value is a `QuotaExceededError`. @example if (easel.isQuotaExceeded(error)) show(error.message); */
export const isQuotaExceeded = /* @__PURE__ */ guard<QuotaExceededError>("QuotaExceededError");

/** Whether a value is a `PublishFailedError`. @example if (easel.isPublishFailed(error)) console.log(error.id); */
export const isPublishFailed = /* @__PURE__ */ guard<PublishFailedError>("PublishFailedError");

/** Whether a value is an `UpdatePartialError`. @example if (easel.isUpdatePartial(error)) console.log(error.stage); */
export const isUpdatePartial = /* @__PURE__ */ guard<UpdatePartialError>("UpdatePartialError");

/**
 * Whether a value is any error of the SDK, and has the code `code` if that is given.
 * @example if (easel.isEaselError(error, "RATE_LIMITED")) await later(error.retryAfter);
 */
export function isEaselError(error: unknown, code?: EaselErrorCode): error is EaselError {
  if (!(error instanceof Error) || !("requestId" in error && "retryAfter" in error)) return false;
  return code === undefined || (error as EaselError).code === code;
}
