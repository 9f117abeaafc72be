import type { UrlMode } from "./context.ts";
import { createEasel } from "./easel.ts";
import {
  CapabilityDisabledError,
  EaselError,
  NotAuthenticatedError,
  NotFoundError,
  PublishFailedError,
  QuotaExceededError,
  UpdatePartialError,
} from "./errors.ts";
import {
  isCapabilityDisabled,
  isEaselError,
  isNotAuthenticated,
  isNotFound,
  isPublishFailed,
  isQuotaExceeded,
  isUpdatePartial,
} from "./guards.ts";
import { startReports } from "./page-errors/report-errors.ts";
import { createApi } from "./request.ts";
import type { PageEasel } from "./window.ts";

/** The URL mode, which the service sets in a line that it puts before this script: `globalThis.easel={urlMode:"path"};`. */
const { urlMode } = (globalThis as { easel?: { urlMode?: UrlMode } }).easel ?? {};

globalThis.easel = {
  ...createEasel({ urlMode }),
  CapabilityDisabledError,
  EaselError,
  NotAuthenticatedError,
  NotFoundError,
  PublishFailedError,
  QuotaExceededError,
  UpdatePartialError,
  isCapabilityDisabled,
  isEaselError,
  isNotAuthenticated,
  isNotFound,
  isPublishFailed,
  isQuotaExceeded,
  isUpdatePartial,
} satisfies PageEasel;

// Reports show nobody anything.
startReports(createApi({ urlMode }, () => {}));
