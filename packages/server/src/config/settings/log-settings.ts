import { oneOf, onOff, optional, setting, socketAddress, whole } from "../setting-types.ts";

/** Settings of what is logged and counted. */
export const OBSERVATION = {
  callLog: setting(
    "SERVICE_CALL_LOG",
    onOff,
    true,
    "Whether the refused and failed calls to the runtime API of a canvas are logged for its owner and editors. They are kept for 7 days.",
  ),
  pageViews: setting(
    "SERVICE_PAGE_VIEWS",
    onOff,
    true,
    "Whether it is counted how often, and by how many people, the pages of canvases are opened. Owners and editors see numbers, never who it was. When it is turned off, what was counted is no longer shown, and removed as it expires.",
  ),
  auditKeepDays: setting(
    "SERVICE_AUDIT_KEEP_DAYS",
    whole(0, 36_500),
    0,
    "Days after which entries of the [audit log](operating.md#audit-log) are removed; 0 keeps them for ever.",
  ),
  logLevel: setting(
    "SERVICE_LOG_LEVEL",
    oneOf("fatal", "error", "warn", "info", "debug", "trace", "silent"),
    "info",
    "Log lines go to standard error as JSON; `debug` adds one per request.",
  ),
  metricsAddress: optional(
    "SERVICE_METRICS_ADDRESS",
    socketAddress,
    "Where Prometheus reads [metrics](monitoring.md#metrics), at `/metrics`: an address of its own, which never is the public one. With several workers, the second listens at the next port, and so on.",
    { shown: "none, metrics are off" },
  ),
};
