import { routes } from "@easel/conformance/submissions/routes";
import { onPostgres } from "./conformance.ts";

/* Lists and quotas are tested on the store itself (`test/primitives/submissions`), on both engines. */
await onPostgres("submissions", routes);
