import { type Fault, fault } from "../fault.ts";

const PRIMITIVES = "packages/server/src/primitives";
const OPENAPI = "packages/server/src/openapi";
const DOCUMENT_TEST = `${OPENAPI}/document.test.ts`;
const TEXTS_TEST = "packages/server/test/content/public-texts.test.ts";
const FILES_TEST = "packages/server/test/conformance/files.test.ts";

/** Deliberate mistakes in the OpenAPI document and in the generated texts that everyone may read. */
export const openapi: Fault[] = [
  fault(
    "openapi: a field of a response is not described",
    `${PRIMITIVES}/files/operations.ts`,
    "    mime: z.string(),\n",
    "",
    FILES_TEST,
  ),
  fault(
    "openapi: an error is not described",
    `${PRIMITIVES}/files/operations.ts`,
    '"FILE_TOO_LARGE", ',
    "",
    FILES_TEST,
  ),
  fault(
    "openapi: an operation is not described",
    "packages/server/src/openapi/document.ts",
    "own.map(",
    "own.slice(1).map(",
    DOCUMENT_TEST,
  ),
  fault(
    "openapi: a response has a field that is not described",
    "packages/server/src/http/health.ts",
    "    return { ok: true };\n  });\n\n  let checkedAt",
    "    return { ok: true, more: 1 };\n  });\n\n  let checkedAt",
    TEXTS_TEST,
  ),
  fault(
    "openapi: responses forbid fields of later versions",
    `${OPENAPI}/schemas.ts`,
    "else if (additionalProperties === false && isClosed)",
    "else if (additionalProperties === false)",
    DOCUMENT_TEST,
  ),
  fault(
    "openapi: the acts of a session take access tokens",
    `${OPENAPI}/document.ts`,
    'act.allow === "session"',
    'act.allow === "owner"',
    DOCUMENT_TEST,
  ),
  fault(
    "public texts: a cache serves one encoding to all clients",
    "packages/server/src/content/service-files.ts",
    'vary: "Accept-Encoding", ',
    "",
    TEXTS_TEST,
  ),
];
