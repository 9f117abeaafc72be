/**
 * Error codes of the runtime API with their usual HTTP status (specification 7). `message` is the default text for people;
 * clients branch on the code.
 */
export const ERRORS = {
  NOT_AUTHENTICATED: { status: 401, message: "You are not signed in." },
  PASSWORD_REQUIRED: { status: 403, message: "This canvas is protected by a password." },
  PERMISSION_DENIED: { status: 403, message: "Your role does not allow this." },
  CAPABILITY_DISABLED: { status: 403, message: "This capability is switched off." },
  CROSS_CANVAS_FORBIDDEN: { status: 403, message: "A page may call the API of its own canvas only." },
  CROSS_SITE_FORBIDDEN: { status: 403, message: "Requests from other sites are refused." },
  MODEL_NOT_ALLOWED: { status: 403, message: "This AI model is not allowed here." },
  DISABLED: { status: 403, message: "An administrator has disabled this canvas." },
  STATIC_ONLY: {
    status: 403,
    message: "A Public link serves the page alone: its backend works for the owner and editors only.",
  },
  GUEST_AI_DISABLED: { status: 403, message: "AI is switched off for guests." },
  PUBLIC_LINKS_DISABLED: { status: 403, message: "Public links are switched off on this instance." },
  PUBLIC_NOT_ALLOWED: { status: 403, message: "You may not publish public links." },
  PUBLIC_LINK_OWNER_GATED: { status: 403, message: "The owner of this canvas may not publish public links." },
  DESTINATION_BLOCKED: { status: 403, message: "The destination lies outside the approved origin." },
  NOT_FOUND: { status: 404, message: "There is nothing at this address." },
  ARCHIVED: { status: 404, message: "This canvas is archived." },
  NOT_INVITED: { status: 404, message: "Your invitation is for another canvas." },
  OWNER_ONLY: { status: 404, message: "This canvas has not been shared with you." },
  SHARE_EXPIRED: { status: 404, message: "This canvas is no longer shared: its time has run out." },
  COLLECTION_NOT_CONFIGURED: { status: 404, message: "This collection has no policy." },
  CONNECTION_NOT_GRANTED: { status: 404, message: "This connection is not granted to the canvas." },
  METHOD_NOT_ALLOWED: { status: 405, message: "This method is not allowed here." },
  INVALID_BODY: { status: 400, message: "The request is not valid." },
  KEY_TOO_LARGE: { status: 413, message: "The key is too large." },
  VALUE_TOO_LARGE: { status: 413, message: "The value is too large." },
  FILE_TOO_LARGE: { status: 413, message: "The file is too large." },
  BODY_TOO_LARGE: { status: 413, message: "The request body is too large." },
  REQUEST_TOO_LARGE: { status: 413, message: "The outbound request is too large." },
  KEY_LIMIT: { status: 409, message: "No more entries fit here." },
  NOT_NUMERIC: { status: 409, message: "The stored value is not a number that can be incremented." },
  NOT_UNIQUE: {
    status: 409,
    message: "There is such a record already, and the collection allows only one: change that one instead.",
  },
  RECORD_CHANGED: {
    status: 412,
    message: "This record has changed since you read it: `record` is what it is now.",
  },
  POLICY_CONFLICT: {
    status: 409,
    message:
      "This is not the policy that the canvas has now: send its `runtimePolicyRevision` as `expectedRuntimePolicy`.",
  },
  SHARE_REVOKED: { status: 409, message: "This share is revoked; publish a bundle to bring it back." },
  SHARE_CONFLICT: { status: 409, message: "This share has changed since you read it." },
  ORG_REQUIRED: { status: 409, message: "Sharing with an organisation needs a home organisation." },
  SLUG_TAKEN: { status: 409, message: "This slug is taken." },
  QUOTA_EXCEEDED: { status: 429, message: "The quota is used up." },
  GUEST_AI_CAP: { status: 429, message: "The AI allowance of this guest is used up." },
  RATE_LIMITED: { status: 429, message: "Too many requests; try again in a moment." },
  CONNECTION_LIMIT: { status: 429, message: "Too many connections at once." },
  CONNECTION_RATE_LIMIT: { status: 429, message: "Too many outbound requests; try again in a moment." },
  CONNECTION_DISABLED: { status: 503, message: "This connection is switched off." },
  CONNECTION_KEY_UNAVAILABLE: {
    status: 503,
    message: "The key that protects this connection is not available.",
  },
  UPSTREAM_TIMEOUT: { status: 504, message: "The upstream took too long." },
  UPSTREAM_UNAVAILABLE: { status: 502, message: "The upstream could not be reached." },
  RESPONSE_TOO_LARGE: { status: 502, message: "The upstream's response is too large." },
  AI_UPSTREAM_ERROR: { status: 502, message: "The AI provider failed." },
  PUBLISH_FAILED: { status: 502, message: "Publishing failed." },
  UPDATE_PARTIAL: { status: 502, message: "The settings were saved, but the deploy failed." },
  VERSION_LIVE: { status: 409, message: "This version is the published one; publish another one first." },
  VERSION_CONFLICT: { status: 409, message: "Another version of this canvas is live than you expect." },
  BLOBS_MISSING: { status: 409, message: "Not all files of this deploy have been uploaded." },
  // Not in the specification: what a program may not do by itself.
  CONFIRMATION_REQUIRED: { status: 403, message: "This needs the confirmation of the person." },
  // Not in the specification: general failures of an HTTP service.
  RANGE_NOT_SATISFIABLE: { status: 416, message: "The file has no such range." },
  UPGRADE_REQUIRED: { status: 426, message: "This address is opened as a WebSocket." },
  CONCURRENCY_LIMIT: { status: 429, message: "Too many requests of yours are under way at once." },
  MISDIRECTED: { status: 421, message: "This service does not answer for that host." },
  INTERNAL_ERROR: { status: 500, message: "Something went wrong on our side." },
  INSUFFICIENT_STORAGE: { status: 507, message: "The service has no disk space left for this." },
  UNAVAILABLE: { status: 503, message: "The service cannot do this right now; try again in a moment." },
} as const satisfies Record<string, { status: number; message: string }>;

/** An error code. Clients branch on it, so it never changes. */
export type ErrorCode = keyof typeof ERRORS;

/** The JSON body of every error response, except the 401 response to a request without a session. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  requestId: string;
  /** The place of the first fault in the body, query or path of the request, such as `people[2].email`. */
  field?: string;
  [field: string]: unknown;
}
