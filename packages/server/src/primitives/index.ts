import { ai } from "./ai/operations.ts";
import { authoring } from "./authoring/operations.ts";
import { collections } from "./collections/operations.ts";
import { connections } from "./connections/operations.ts";
import { files } from "./files/operations.ts";
import { identity } from "./identity/operations.ts";
import { kv } from "./kv/operations.ts";
import { pageErrors } from "./page-errors/operations.ts";
import { people } from "./people/operations.ts";
import type { Primitive, RuntimeOperation } from "./primitive.ts";
import { realtime } from "./realtime/operations.ts";
import { submissions } from "./submissions/operations.ts";

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
  pageErrors,
];

/** Returns the operation of the runtime API with a name, such as `kv.get`, and its primitive. Throws an error if there is none. */
export function operationNamed(name: string): { primitive: Primitive; operation: RuntimeOperation } {
  for (const primitive of primitives)
    for (const operation of primitive.operations)
      if (operation.name === name) return { primitive, operation };
  throw new Error(`there is no operation ${name}`);
}
