import assert from "node:assert/strict";
import { test } from "node:test";
import { ERRORS } from "./errors.ts";

/** The error codes of specification 7, by HTTP status. */
const SPECIFIED: Record<number, string> = {
  400: "INVALID_BODY",
  401: "NOT_AUTHENTICATED",
  403: `PASSWORD_REQUIRED PERMISSION_DENIED CAPABILITY_DISABLED CROSS_CANVAS_FORBIDDEN CROSS_SITE_FORBIDDEN
    MODEL_NOT_ALLOWED DISABLED STATIC_ONLY GUEST_AI_DISABLED DESTINATION_BLOCKED PUBLIC_LINKS_DISABLED
    PUBLIC_NOT_ALLOWED PUBLIC_LINK_OWNER_GATED`,
  404: `NOT_FOUND ARCHIVED NOT_INVITED OWNER_ONLY SHARE_EXPIRED COLLECTION_NOT_CONFIGURED CONNECTION_NOT_GRANTED`,
  405: "METHOD_NOT_ALLOWED",
  409: "KEY_LIMIT NOT_NUMERIC POLICY_CONFLICT SHARE_REVOKED SHARE_CONFLICT ORG_REQUIRED SLUG_TAKEN",
  413: "KEY_TOO_LARGE VALUE_TOO_LARGE FILE_TOO_LARGE BODY_TOO_LARGE REQUEST_TOO_LARGE",
  429: "GUEST_AI_CAP QUOTA_EXCEEDED RATE_LIMITED CONNECTION_LIMIT CONNECTION_RATE_LIMIT",
  502: "UPSTREAM_UNAVAILABLE RESPONSE_TOO_LARGE AI_UPSTREAM_ERROR PUBLISH_FAILED UPDATE_PARTIAL",
  503: "CONNECTION_DISABLED CONNECTION_KEY_UNAVAILABLE",
  504: "UPSTREAM_TIMEOUT",
};
/**
 * The error codes that the specification does not contain: those of the management API, of
 * unique records and conditional writes, and those of general failures of an HTTP service.
 */
const OUR_OWN = {
  NOT_UNIQUE: 409,
  RECORD_CHANGED: 412,
  VERSION_LIVE: 409,
  VERSION_CONFLICT: 409,
  BLOBS_MISSING: 409,
  CONFIRMATION_REQUIRED: 403,
  RANGE_NOT_SATISFIABLE: 416,
  UPGRADE_REQUIRED: 426,
  CONCURRENCY_LIMIT: 429,
  MISDIRECTED: 421,
  INTERNAL_ERROR: 500,
  INSUFFICIENT_STORAGE: 507,
  UNAVAILABLE: 503,
};

test("the table has the codes and statuses of the specification, and our own", () => {
  const specified = Object.entries(SPECIFIED).flatMap(([status, codes]) =>
    codes.split(/\s+/).map((code) => [code, Number(status)] as const),
  );
  const table = Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status]));
  assert.deepEqual(table, { ...Object.fromEntries(specified), ...OUR_OWN });
});
