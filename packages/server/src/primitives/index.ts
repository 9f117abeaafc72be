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
