import { collections } from "./collections/routes.ts";
import { identity } from "./identity/routes.ts";
import { kv } from "./kv/routes.ts";
import type { Primitive } from "./primitive.ts";
import { realtime } from "./realtime/routes.ts";
import { submissions } from "./submissions/routes.ts";

/** Everything under `/v1/c/{slug}`. */
export const primitives: Primitive[] = [identity, kv, submissions, collections, realtime];
