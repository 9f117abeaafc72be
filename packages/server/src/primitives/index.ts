import { coreData } from "../canvases/core-data.ts";
import type { Env } from "../env.ts";
import { authoring } from "./authoring/routes.ts";
import { collections } from "./collections/routes.ts";
import { files } from "./files/routes.ts";
import { identity } from "./identity/routes.ts";
import { kv } from "./kv/routes.ts";
import type { Primitive } from "./primitive.ts";
import { realtime } from "./realtime/routes.ts";
import { submissions } from "./submissions/routes.ts";

/** The primitives of the runtime API, `/v1/c/{slug}`. */
export const primitives: Primitive[] = [identity, kv, submissions, collections, files, authoring, realtime];

/** Returns the declarations of what primitives and canvases store, in the order in which a purge removes the rows. */
export const canvasDataOf = (served: readonly Primitive[]): Env["canvasData"] => [
  ...served.flatMap(({ data }) => data ?? []),
  coreData,
];

/**
 * Collects the checks of live state that primitives declare, by capability. No primitive implements Connections, so there are no grants and
 * the capability is unavailable.
 */
export const availabilityOf = (served: readonly Primitive[]): Env["availability"] => ({
  connections: async () => "CONNECTION_NOT_GRANTED",
  ...Object.fromEntries(
    served.flatMap(({ capability, available }) => (available === undefined ? [] : [[capability, available]])),
  ),
});
