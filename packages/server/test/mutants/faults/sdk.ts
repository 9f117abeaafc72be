import { type Fault, fault } from "../fault.ts";

/** Faults of the SDK and the examples. */
export const sdk: Fault[] = [
  fault(
    "deploy: a first deploy that fails leaves its canvas",
    "examples/deploy.ts",
    "if (known === undefined) await discard(service, canvas);",
    "",
    "examples/deploy.test.ts",
  ),
  fault(
    "sdk: a `break` leaves the request to the model open",
    "packages/sdk/src/ai/deltas.ts",
    "reader.cancel().catch(() => {});",
    "",
    "packages/sdk/test/ai-abort.test.ts",
  ),
  fault(
    "sdk: a truncated response of a model counts as complete",
    "packages/sdk/src/ai/deltas.ts",
    "if (spend === undefined) throw truncated();",
    "",
    "packages/sdk/test/ai-errors.test.ts",
  ),
  fault(
    "sdk: unsound paths of a bundle are sent",
    "packages/sdk/src/canvases/bundle.ts",
    "if (fault !== undefined) throw",
    "if (fault === null) throw",
    "packages/sdk/test/canvases.test.ts",
  ),
  fault(
    "sdk: files are deflated to what the service takes for a bomb",
    "packages/sdk/src/canvases/zip.ts",
    " && content.size <= BUNDLE_RATIO * data.size",
    "",
    "packages/sdk/test/zip.test.ts",
  ),
  fault(
    "sdk: an expiry that is not a number clears the expiry",
    "packages/sdk/src/canvases.ts",
    "toJson(settings, requireFinite)",
    "toJson(settings)",
    "packages/sdk/test/canvases.test.ts",
  ),
  fault(
    "sdk: the pause between attempts does not double",
    "packages/sdk/src/realtime/backoff.ts",
    "2 ** failures",
    "2 * failures",
    "packages/sdk/test/realtime-backoff.test.ts",
  ),
  fault(
    "sdk: calls send no cookies to the base host",
    "packages/sdk/src/request.ts",
    'credentials: "include"',
    'credentials: "same-origin"',
    "packages/sdk/test/request.test.ts",
  ),
  fault(
    "sdk: uploads with progress send no cookies to the base host",
    "packages/sdk/src/files/progress.ts",
    "request.withCredentials = true",
    "request.withCredentials = false",
    "packages/sdk/test/files-upload.test.ts",
  ),
  fault(
    "sdk: a channel is not subscribed again after a lost connection",
    "packages/sdk/src/realtime/channel.ts",
    'messages.size > 0 && !isPending("subscribe")',
    "false",
    "packages/sdk/test/realtime-connection.test.ts",
    "packages/sdk/test/realtime.test.ts",
  ),
  fault(
    "sdk: a canvas that is not found counts as a missing value",
    "packages/sdk/src/optional.ts",
    'error.reason === "NOT_FOUND"',
    "true",
    "packages/sdk/test/kv.test.ts",
    "packages/sdk/test/errors.test.ts",
  ),
];
