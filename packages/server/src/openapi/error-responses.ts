import { ERRORS, type ErrorCode } from "@easel/protocol/errors";
import { STATUS_CODES } from "../http/node-http.ts";
import type { ErrorCase } from "../http/refusal.ts";
import type { JsonSchema } from "./json-shape.ts";
import type { Header, Reference, ResponseObject } from "./openapi.ts";

const ref = ($ref: string): Reference => ({ $ref });

/** The response headers to which responses in the document refer, by name. */
export const HEADERS: Record<string, Header> = {
  "Retry-After": {
    description: "The number of seconds after which the request may be sent again.",
    schema: { type: "integer" },
  },
  "X-RateLimit-Limit": {
    description: "The number of requests a minute. Absent if the operator has turned rate limits off.",
    schema: { type: "integer" },
  },
  "X-RateLimit-Remaining": {
    description: "The number of requests that are left now.",
    schema: { type: "integer" },
  },
  "X-RateLimit-Reset": {
    description: "The time at which the limit is full again, in epoch seconds.",
    schema: { type: "integer" },
  },
};

const refsTo = (names: string[]) =>
  Object.fromEntries(names.map((name) => [name, ref(`#/components/headers/${name}`)]));

/** References to the rate-limit headers, for the successful responses to requests that count toward a rate limit. */
export const RATE_HEADERS = refsTo(Object.keys(HEADERS).filter((name) => name !== "Retry-After"));

const text = (description: string): JsonSchema => ({ type: "string", description });

/** The schemas of error bodies. */
export const ERROR_SCHEMAS: Record<string, JsonSchema> = {
  ErrorCode: {
    type: "string",
    enum: Object.keys(ERRORS),
    description: [
      "A stable code. Clients branch on it, not on `message`.",
      "",
      "| Code | Usual status | Meaning |",
      "| --- | --- | --- |",
      ...Object.entries(ERRORS).map(
        ([code, { status, message }]) => `| \`${code}\` | ${status} | ${message} |`,
      ),
    ].join("\n"),
  },
  Error: {
    type: "object",
    description: "The body of an error. Some codes have further fields.",
    properties: {
      code: { $ref: "#/components/schemas/ErrorCode" },
      message: text("A sentence for people, which may change."),
      requestId: text("Identifies the request in the log of the service."),
      field: text(
        "`INVALID_BODY`: the place of the first fault in the body, query or path, such as `people[2].email`.",
      ),
      hint: text("`CAPABILITY_DISABLED`: how to turn the capability on."),
      reason: text(
        "`CAPABILITY_DISABLED`: `backend_off`, `feature_off` or `operator_disabled`. `INVALID_BODY`: which rule a field breaks.",
      ),
      capability: text("`CAPABILITY_DISABLED`: the capability that is off."),
      backendEnabled: { type: "boolean", description: "`CAPABILITY_DISABLED`: whether the backend is on." },
      signedIn: {
        type: "boolean",
        description: "`STATIC_ONLY`: whether the caller is signed in. If not, signing in may help.",
      },
      scope: text("`QUOTA_EXCEEDED` and `GUEST_AI_CAP`: what is used up."),
      quota: text("`QUOTA_EXCEEDED`: the name of the quota."),
      limit: { type: "integer", description: "`QUOTA_EXCEEDED`: the limit." },
      id: text("`PUBLISH_FAILED`: the id of the canvas, if it exists already."),
      stage: text("`UPDATE_PARTIAL`: what failed."),
      current: { description: "`UPDATE_PARTIAL` and `SHARE_CONFLICT`: the canvas as it is now." },
      record: {
        $ref: "#/components/schemas/CollectionRecord",
        description: "`RECORD_CHANGED`: the record as it is now.",
      },
      currentVersion: { type: ["string", "null"], description: "`VERSION_CONFLICT`: the live version." },
      missing: {
        type: "array",
        items: { type: "string" },
        description: "`BLOBS_MISSING`: the SHA-256 hashes of the files that are missing.",
      },
      error: text("`RATE_LIMITED` of the management API: always `rate_limited`."),
    },
    required: ["code", "message", "requestId"],
  },
  Unauthenticated: {
    type: "object",
    description: "The body of the response to a request without valid credentials, which has no code.",
    properties: { error: { type: "string" } },
    required: ["error"],
  },
};

const error: JsonSchema = { $ref: "#/components/schemas/Error" };

/** The response for errors that have nothing to do with the operation, such as 500 and 503. Every request can get them. */
const DEFAULT_RESPONSE: ResponseObject = {
  description:
    "A failure of the service or of the transport: 408, 421 `MISDIRECTED`, 431, 500 `INTERNAL_ERROR`, 503 `UNAVAILABLE` with `Retry-After`, 507 `INSUFFICIENT_STORAGE`.",
  content: { "application/json": { schema: error } },
};

/** The errors that all operations of a part of the API can have. */
export interface CommonErrors {
  /** The name of the part of the API, such as `Runtime`. The names of error responses that contain the common errors begin with it. */
  name: string;
  errors: readonly ErrorCase[];
}

type CodesByStatus = Map<number, ErrorCode[]>;

/** Groups error codes by their HTTP status. No status has a code twice. */
function codesByStatus(errors: readonly ErrorCase[]): CodesByStatus {
  const codes: CodesByStatus = new Map();
  for (const each of errors) {
    const [code, status] = typeof each === "string" ? [each, ERRORS[each].status] : each;
    codes.set(status, [...new Set([...(codes.get(status) ?? []), code])]);
  }
  return codes;
}

/** Collects the error responses of operations, so that operations with the same errors share them. */
export class ErrorResponses {
  readonly named: Record<string, ResponseObject> = { Failure: DEFAULT_RESPONSE };

  /**
   * Returns references to the error responses of an operation, by status. An operation with `isAuthenticated` needs credentials, and so can
   * fail with 401.
   */
  of(
    { name, errors }: CommonErrors,
    specific: readonly ErrorCase[],
    isAuthenticated: boolean,
  ): Record<string, Reference> {
    const common = codesByStatus(errors);
    const all = codesByStatus([...errors, ...specific]);
    if (isAuthenticated && !all.has(401)) all.set(401, []);
    const responses = [...all].map(([status, codes]) => {
      const shared = common.get(status) ?? [];
      const further = shared.length > 1 ? codes.filter((code) => !shared.includes(code)) : codes;
      const parts = [...(shared.length > 1 ? [name] : []), String(status), ...further];
      return [String(status), this.#reference(parts.join("-"), status, codes)] as const;
    });
    return { ...Object.fromEntries(responses), default: ref("#/components/responses/Failure") };
  }

  #reference(name: string, status: number, codes: ErrorCode[]): Reference {
    this.named[name] ??= status === 401 ? unauthenticated(codes) : responseOf(status, codes);
    return ref(`#/components/responses/${name}`);
  }
}

const meanings = (codes: ErrorCode[]) =>
  codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join(" ");

/** Returns the schema of an error body with one of the codes. */
const withCode = (codes: ErrorCode[]): JsonSchema => ({ ...error, properties: { code: { enum: codes } } });

function responseOf(status: number, codes: ErrorCode[]): ResponseObject {
  const headers = refsTo(status === 429 ? Object.keys(HEADERS) : status === 503 ? ["Retry-After"] : []);
  return {
    description: `${STATUS_CODES[status]}. ${meanings(codes)}`,
    ...(Object.keys(headers).length > 0 && { headers }),
    content: { "application/json": { schema: withCode(codes) } },
  };
}

function unauthenticated(codes: ErrorCode[]): ResponseObject {
  const none: JsonSchema = { $ref: "#/components/schemas/Unauthenticated" };
  return {
    description:
      `There are no valid credentials. With OpenID Connect the response is a redirect (302) to the sign-in instead. ${meanings(codes)}`.trim(),
    content: {
      "application/json": { schema: codes.length === 0 ? none : { anyOf: [none, withCode(codes)] } },
    },
  };
}
