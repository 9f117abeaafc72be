import { LIMITS } from "@easel/protocol/limits";
import { list, oneOf, onOff, optional, setting, whole } from "../setting-types.ts";

const rung = oneOf("private", "specific_people", "whole_org", "public_link", "password");

/** Settings of what pages may use of the backend. */
export const PAGES = {
  realtime: setting("SERVICE_REALTIME", onOff, true, "Whether canvases may use realtime."),
  realtimePerCanvas: setting(
    "SERVICE_REALTIME_CONNECTIONS_PER_CANVAS",
    whole(1),
    LIMITS.connectionsPerCanvas.value,
    "Open realtime connections to one canvas, on all nodes together. Every open tab of a page that uses `live`, `watch` or a channel has one. Further tabs read their data every half minute.",
  ),
  realtimePerPerson: optional(
    "SERVICE_REALTIME_CONNECTIONS_PER_PERSON",
    whole(1),
    "Open realtime connections of one person to one canvas, such as 10. Without it, one person may have all connections of a canvas.",
  ),
  publishesPerMinute: setting(
    "SERVICE_REALTIME_PUBLISHES_PER_MIN",
    whole(1),
    LIMITS.publishesPerMinute.value,
    "Messages published per realtime connection. Other frames are limited to six times as many, at least 600. Below 100, the SDK's `batch` and `latest` send too many.",
  ),
  authoring: setting("SERVICE_AUTHORING", onOff, false, "Whether canvases may publish further canvases."),
  authoringScope: setting(
    "SERVICE_AUTHORING_SCOPE",
    oneOf("person", "canvas"),
    "person",
    "What a page with authoring may list, change and take offline. `person`: every canvas that the person who has the page open owns or edits, and any canvas whose id it knows while an administrator has it open; for pages that you trust as you trust these people. `canvas`: only canvases that were published from a page of the same canvas, and never by the rights of an administrator; canvases that releases without this setting published are not among them.",
  ),
  authoringRungs: setting(
    "SERVICE_AUTHORING_ALLOWED_RUNGS",
    list(rung),
    ["private", "specific_people", "whole_org", "public_link"],
    "Access values that authoring accepts. `public_link` includes `password`; `specific_people` is another name of `private`.",
  ),
  authoringMaxExpiryDays: setting(
    "SERVICE_AUTHORING_MAX_EXPIRY_DAYS",
    whole(0),
    0,
    "Maximum time to the expiry of an authored canvas; 0 means no maximum.",
  ),
  authoringRequireExpiry: setting(
    "SERVICE_AUTHORING_REQUIRE_EXPIRY",
    onOff,
    false,
    "Whether an authored canvas must expire.",
  ),
  authoringDailyMax: setting(
    "SERVICE_AUTHORING_USER_DAILY_MAX",
    whole(0),
    20,
    "Canvases that a person may author on one day (UTC).",
  ),
  authoringTotalMax: setting(
    "SERVICE_AUTHORING_USER_TOTAL_MAX",
    whole(0),
    200,
    "Canvases that a person may author in all, including deleted ones.",
  ),
};
