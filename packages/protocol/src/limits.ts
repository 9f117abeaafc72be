import {
  BUNDLE_BYTES,
  BUNDLE_ENTRIES,
  BUNDLE_PATH_BYTES,
  BUNDLE_RATIO,
  BUNDLE_UNPACKED_BYTES,
} from "./bundle.ts";
import { CHANNEL_NAME_BYTES, FRAME_BYTES, PUBLISHES_PER_MINUTE } from "./realtime-constants.ts";

const KiB = 1024;
const MiB = 1024 * KiB;

/**
 * The fixed limits of the service (specification 8). `value` is the limit in `unit`, `of` names what it limits, and `past` is the response
 * to a request that exceeds it.
 */
export const LIMITS = {
  kvKeyBytes: { value: 512, unit: "bytes", of: "a KV key, decoded", past: "413 KEY_TOO_LARGE" },
  valueBytes: {
    value: 64 * KiB,
    unit: "bytes",
    of: "a KV value or a record of a collection, serialized",
    past: "413 VALUE_TOO_LARGE",
  },
  kvKeysShared: { value: 10_000, unit: "keys", of: "the shared scope of a canvas", past: "409 KEY_LIMIT" },
  kvKeysUser: { value: 1_000, unit: "keys", of: "one viewer's scope of a canvas", past: "409 KEY_LIMIT" },
  submissionBytes: {
    value: 64 * KiB,
    unit: "bytes",
    of: "a submission, as sent and as stored",
    past: "413 VALUE_TOO_LARGE",
  },
  submissionsPerCanvas: { value: 10_000, unit: "submissions", of: "a canvas", past: "409 KEY_LIMIT" },
  submissionsPerAuthor: {
    value: 1_000,
    unit: "submissions",
    of: "one author on a canvas",
    past: "409 KEY_LIMIT",
  },
  recordsPerCanvas: { value: 10_000, unit: "records", of: "a canvas", past: "409 KEY_LIMIT" },
  fileBytes: { value: 25 * MiB, unit: "bytes", of: "a file that a page uploads", past: "413 FILE_TOO_LARGE" },
  filesBytesPerCanvas: {
    value: 1024 * MiB,
    unit: "bytes",
    of: "the uploaded files of a canvas",
    past: "409 QUOTA_EXCEEDED",
  },
  fileNameLength: { value: 255, unit: "characters", of: "the name of a file", past: "400 INVALID_BODY" },
  aiBodyBytes: { value: 256 * KiB, unit: "bytes", of: "the body of an AI chat", past: "413 BODY_TOO_LARGE" },
  aiMaxTokens: {
    value: 8192,
    unit: "tokens",
    of: "the output of an AI chat; 1,024 without `maxTokens`",
    past: "a larger `maxTokens` counts as this",
  },
  connectionUrlBytes: {
    value: 8 * KiB,
    unit: "bytes",
    of: "the path and query of a request through a Connection",
    past: "413 REQUEST_TOO_LARGE",
  },
  connectionHeaders: {
    value: 32,
    unit: "headers",
    of: "the headers of the caller that a request through a Connection passes on",
    past: "413 REQUEST_TOO_LARGE",
  },
  connectionHeaderBytes: {
    value: 16 * KiB,
    unit: "bytes",
    of: "the names and values of these headers together",
    past: "413 REQUEST_TOO_LARGE",
  },
  connectionBodyBytes: {
    value: 256 * KiB,
    unit: "bytes",
    of: "the body of a request through a Connection; GET and HEAD have none",
    past: "413 REQUEST_TOO_LARGE",
  },
  connectionResponseBytes: {
    value: 2 * MiB,
    unit: "bytes",
    of: "the response to a request through a Connection",
    past: "502 RESPONSE_TOO_LARGE",
  },
  connectionTimeoutMs: {
    value: 10_000,
    unit: "ms",
    of: "a request through a Connection, redirects and response included",
    past: "504 UPSTREAM_TIMEOUT",
  },
  connectionRedirects: {
    value: 3,
    unit: "redirects",
    of: "a request through a Connection",
    past: "403 DESTINATION_BLOCKED",
  },
  connectionCallsPerMinute: {
    value: 60,
    unit: "requests a minute",
    of: "one caller, through one Connection of a canvas",
    past: "429 CONNECTION_RATE_LIMIT",
  },
  profileCallsPerMinute: {
    value: 600,
    unit: "requests a minute",
    of: "a Connection, for all callers on all canvases",
    past: "429 CONNECTION_RATE_LIMIT",
  },
  connectionCallsPerCanvas: {
    value: 5,
    unit: "requests at once",
    of: "a canvas through Connections",
    past: "429 CONNECTION_LIMIT",
  },
  connectionCallsPerProcess: {
    value: 50,
    unit: "requests at once",
    of: "a process of the service through Connections",
    past: "429 CONNECTION_LIMIT",
  },
  connectionsPerCanvas: {
    value: 30,
    unit: "connections",
    of: "a canvas, for realtime",
    past: "close 4429",
  },
  channelsPerConnection: {
    value: 64,
    unit: "channels",
    of: "a realtime connection, watches included",
    past: "frame CHANNEL_LIMIT",
  },
  channelNameBytes: {
    value: CHANNEL_NAME_BYTES,
    unit: "bytes",
    of: "the name of a channel",
    past: "frame CHANNEL_NAME_TOO_LARGE",
  },
  frameBytes: { value: FRAME_BYTES, unit: "bytes", of: "a realtime frame", past: "frame MESSAGE_TOO_LARGE" },
  publishesPerMinute: {
    value: PUBLISHES_PER_MINUTE,
    unit: "frames a minute",
    of: "a realtime connection, for `publish`; the default of `SERVICE_REALTIME_PUBLISHES_PER_MIN`",
    past: "frame RATE_LIMITED",
  },
  framesPerMinute: {
    value: 600,
    unit: "frames a minute",
    of: "a realtime connection, for other frames; six times the publish limit if that is more",
    past: "frame RATE_LIMITED",
  },
  largeResponses: {
    value: 100,
    unit: "responses",
    of: "responses over 16 KiB that one person has not read yet",
    past: "429 RATE_LIMITED",
  },
  pageMax: {
    value: 1_000,
    unit: "entries",
    of: "a page of a list",
    past: "400 INVALID_BODY; 1,000 entries from `/kv`",
  },
  pageDefault: { value: 100, unit: "entries", of: "a page of a list without `limit`", past: "" },
  peoplePerRequest: {
    value: 100,
    unit: "ids",
    of: "a request for names of people",
    past: "400 INVALID_BODY",
  },
  jsonDepth: { value: 1_000, unit: "levels", of: "the nesting of a JSON value", past: "400 INVALID_BODY" },
  managementBodyBytes: {
    value: 256 * KiB,
    unit: "bytes",
    of: "a JSON body of the management API",
    past: "413 INVALID_BODY",
  },
  bundleBytes: { value: BUNDLE_BYTES, unit: "bytes", of: "a zipped bundle", past: "413 INVALID_BODY" },
  bundleEntries: { value: BUNDLE_ENTRIES, unit: "entries", of: "a bundle", past: "400 INVALID_BODY" },
  bundleUnpackedBytes: {
    value: BUNDLE_UNPACKED_BYTES,
    unit: "bytes",
    of: "a bundle, unpacked",
    past: "400 INVALID_BODY",
  },
  bundleRatio: {
    value: BUNDLE_RATIO,
    unit: "to one",
    of: "the compression of a bundle entry over 1 MiB",
    past: "400 INVALID_BODY",
  },
  bundlePathBytes: {
    value: BUNDLE_PATH_BYTES,
    unit: "bytes",
    of: "the path of a bundle entry",
    past: "400 INVALID_BODY",
  },
  manifestBytes: {
    value: 2 * MiB,
    unit: "bytes",
    of: "the list of files of a staged deploy",
    past: "413 INVALID_BODY",
  },
  importBytes: { value: 2048 * MiB, unit: "bytes", of: "the zip of an import", past: "413 INVALID_BODY" },
  importEntries: { value: 100_000, unit: "entries", of: "the zip of an import", past: "400 INVALID_BODY" },
  importLines: {
    value: 1_000_000,
    unit: "lines",
    of: "the files with JSON lines of an import, together",
    past: "400 INVALID_BODY",
  },
  importLinesBytes: {
    value: 2048 * MiB,
    unit: "bytes",
    of: "the files with JSON lines of an import, together and unpacked",
    past: "400 INVALID_BODY",
  },
  stagedDeploys: {
    value: 10,
    unit: "deploys",
    of: "the staged deploys of a canvas that are not finished",
    past: "409 KEY_LIMIT",
  },
  deployMessageLength: {
    value: 1_000,
    unit: "characters",
    of: "the message of a deploy",
    past: "400 INVALID_BODY",
  },
  loggedCalls: {
    value: 2_000,
    unit: "calls",
    of: "the call log of a canvas, which keeps each for 7 days",
    past: "the oldest calls are removed",
  },
  loggedCallsPerMinute: {
    value: 100,
    unit: "calls a minute",
    of: "the calls of a canvas that a process of the service logs",
    past: "further calls are only counted",
  },
  titleLength: { value: 200, unit: "characters", of: "the title of a canvas", past: "400 INVALID_BODY" },
  tags: { value: 20, unit: "tags", of: "a canvas", past: "400 INVALID_BODY" },
  tagLength: { value: 64, unit: "characters", of: "a tag", past: "400 INVALID_BODY" },
  metadataBytes: { value: 16 * KiB, unit: "bytes", of: "the metadata of a canvas", past: "400 INVALID_BODY" },
  passwordLength: {
    value: 200,
    unit: "characters",
    of: "the password of a canvas",
    past: "400 INVALID_BODY",
  },
  policyEntries: {
    value: 50,
    unit: "entries",
    of: "each section of a policy",
    past: "400 INVALID_BODY",
  },
  nameLength: {
    value: 100,
    unit: "characters",
    of: "the name of a team, a token or a guest",
    past: "400 INVALID_BODY",
  },
  peoplePerTeam: { value: 1_000, unit: "people", of: "a team", past: "400 INVALID_BODY" },
  canvasPageBytes: {
    value: 512 * KiB,
    unit: "bytes",
    of: "a page of the canvas list, approximately",
    past: "the page ends early; `nextCursor` continues",
  },
  teamsPerPerson: {
    value: 200,
    unit: "teams",
    of: "the teams that one person has created",
    past: "409 KEY_LIMIT",
  },
  membersPerPage: {
    value: 10_000,
    unit: "members",
    of: "the teams on one page of the team list, together",
    past: "the page ends early; `nextCursor` continues",
  },
  teamsPerCanvas: {
    value: 100,
    unit: "teams",
    of: "the team list of a canvas",
    past: "400 INVALID_BODY",
  },
  peoplePerCanvas: {
    value: 1_000,
    unit: "people",
    of: "the people list of a canvas",
    past: "400 INVALID_BODY",
  },
} as const satisfies Record<string, { value: number; unit: string; of: string; past: string }>;

/** Name of a limit. */
export type LimitName = keyof typeof LIMITS;
