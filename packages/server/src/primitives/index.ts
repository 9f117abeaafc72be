import { callLogData } from "../canvases/call-log-store.ts";
import { coreData } from "../canvases/core-data.ts";
import type { Env } from "../env.ts";
import { ai } from "./ai/routes.ts";
import { authoring } from "./authoring/routes.ts";
import { collections } from "./collections/routes.ts";
import { connections } from "./connections/routes.ts";
import { files } from "./files/routes.ts";
import { identity } from "./identity/routes.ts";
import { kv } from "./kv/routes.ts";
import { people } from "./people/routes.ts";
import type { Primitive } from "./primitive.ts";
import { realtime } from "./realtime/routes.ts";
import { submissions } from "./submissions/routes.ts";

/** The primitives of the runtime API, `/v1/c/{slug}`. */
export const primitives: Primitive[] = [
  identity,
  people,
  kv,
  submissions,
  collections,
  files,
  ai,
  connections,
  authoring,
  realtime,
];

/**
 * Returns what the primitives and the canvases themselves store: tables, quotas and blobs. A purge deletes rows in the order of this list.
 */
export const canvasDataOf = (served: readonly Primitive[]): Env["canvasData"] => [
  ...served.flatMap(({ data }) => data ?? []),
  callLogData,
  coreData,
];
