import { onOff, setting, whole } from "../setting-types.ts";

/** Quotas and rate limits. */
export const QUOTAS_AND_RATES = {
  quotaCanvases: setting(
    "SERVICE_QUOTA_CANVASES",
    whole(0),
    200,
    "Maximum of canvases that one person owns, not counting deleted ones. Administrators can change it, also for one person.",
  ),
  quotaBundleBytes: setting(
    "SERVICE_QUOTA_BUNDLE_BYTES",
    whole(0),
    5 * 1024 ** 3,
    "Maximum of bytes of the bundles of all canvases of one owner: the files with their compressed variants, the rows of all versions, and what has been removed until it is swept; files that versions of a canvas share count once. Administrators can change it, also for one person.",
  ),
  quotaFilesBytes: setting(
    "SERVICE_QUOTA_FILES_BYTES",
    whole(0),
    50 * 1024 ** 3,
    "Maximum of bytes of the files that pages upload to all canvases of one owner, including deleted canvases. Administrators can change it, also for one person.",
  ),
  versionsKept: setting(
    "SERVICE_VERSIONS_KEPT",
    whole(1),
    50,
    "Number of newest versions of a canvas that a deploy keeps, besides the published one. Administrators can change it, also for the canvases of one owner.",
  ),
  rateLimit: setting(
    "SERVICE_RATELIMIT_ENABLED",
    onOff,
    true,
    "Whether requests are rate-limited. Frames of open realtime connections and calls through Connections always are.",
  ),
  canvasPerMinute: setting(
    "SERVICE_RATELIMIT_CANVAS_API_PER_MIN",
    whole(1),
    120,
    "Runtime API, per user per canvas.",
  ),
  aiPerMinute: setting("SERVICE_RATELIMIT_AI_PER_MIN", whole(1), 10, "AI, per user."),
  managementPerMinute: setting("SERVICE_RATELIMIT_MANAGEMENT_PER_MIN", whole(1), 240, "`/api/*`, per user."),
  loginPerMinute: setting(
    "SERVICE_RATELIMIT_LOGIN_PER_MIN",
    whole(1),
    20,
    "Sign-in attempts per client address; IPv6 addresses are grouped by /64.",
  ),
  gatePerMinute: setting(
    "SERVICE_RATELIMIT_GATE_PER_MIN",
    whole(1),
    10,
    "Password attempts per client address and per signed-in user. Wrong passwords by anonymous callers are limited to five times as many per canvas.",
  ),
};
