// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

/** Faults of serving the files of canvases. */
export const serving: Fault[] = [
  fault(
    "content: the entity tag is the same for every encoding",
    "packages/server/src/content/served-files.ts",
    'encoding === "identity" ? "" : `-${encoding}`',
    '""',
    "packages/server/src/content/served-files.test.ts",
  ),
  fault(
    "content: a page load may be pinned to a version of another canvas",
    "packages/server/src/content/caching.ts",
    "and canvas_id = ${canvas.id} and state",
    "and state",
    "packages/server/test/content/serve-version-pin.test.ts",
  ),
  fault(
    "content: a pinned version is served for ever",
    "packages/server/src/content/caching.ts",
    "and replaced_at > ${env.clock() - GRACE_MS}",
    "",
    "packages/server/test/content/serve-version-pin.test.ts",
  ),
  fault(
    "content: a missing worker script is an error only where nobody has access",
    "packages/server/src/content/former-canvas.ts",
    "new Set([302, 401, 403, 404])",
    "new Set([302, 401, 403])",
    "packages/server/test/content/retired-worker.test.ts",
  ),
  fault(
    "content: the 404 page of a canvas is sent for a worker script",
    "packages/server/src/content/serve.ts",
    "if (files === undefined && asksForWorker(request))",
    "if (files === undefined && folder && asksForWorker(request))",
    "packages/server/test/content/retired-worker.test.ts",
  ),
  fault(
    "content: the mark of a canvas host need not be signed for this host",
    "packages/server/src/content/former-canvas.ts",
    'env.signer.verifies(signature, "canvas", slug, id)',
    "signature.length > 0",
    "packages/server/test/content/retired-worker.test.ts",
  ),
  fault(
    "content: other sites on the host may embed files",
    "packages/server/src/content/isolation.ts",
    '"cross-origin-resource-policy", "same-origin"',
    '"cross-origin-resource-policy", "same-site"',
    "packages/server/test/content/canvas-isolation.test.ts",
  ),
  fault(
    "serving: any page of a canvas loads the SDK without a session",
    "packages/server/src/content/service-files.ts",
    "!(await opensToAnonymous(page, env))",
    "false",
    "packages/server/test/conformance/modes.test.ts",
  ),
  fault(
    "serving: a page of another site loads the SDK as one of a Public link",
    "packages/server/src/content/isolation.ts",
    "url.origin === base.origin ? parseCanvasPath(url.pathname) : null",
    "parseCanvasPath(url.pathname)",
    "packages/server/test/conformance/modes.test.ts",
  ),
  fault(
    "serving: a missing script of a single-page app is its page",
    "packages/server/src/content/serve.ts",
    'wantsPage(headers) && !path.slice(path.lastIndexOf("/") + 1).includes(".")',
    "wantsPage(headers)",
    "packages/server/test/content/serve-spa.test.ts",
  ),
  fault(
    "serving: shared caches keep files behind a password",
    "packages/server/src/content/caching.ts",
    "canvas.passwordHash === null && ",
    "",
    "packages/server/test/content/serve-caching.test.ts",
  ),
  fault(
    "serving: shared caches keep the cookie of a caller",
    "packages/server/src/content/caching.ts",
    "!setsCookie && ",
    "",
    "packages/server/test/content/serve-caching.test.ts",
  ),
  fault(
    "serving: words count as hashes",
    "packages/server/src/content/caching.ts",
    " && changesIn(code) >= changes",
    "",
    "packages/server/src/content/caching.test.ts",
  ),
];
