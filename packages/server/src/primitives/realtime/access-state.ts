import type { RuntimePolicy } from "@easel/protocol/policy";
import type { Admitted } from "../../pipeline/visit.ts";

/** The user of a connection, with the canvas, the role and the policy, as they were last read from the database. */
export interface AccessState extends Admitted {
  policy: RuntimePolicy;
}

/**
 * Authenticates the user of a connection again, and re-reads the user's role and the canvas's policy. Throws a `Refusal` if the user has
 * lost access.
 */
export type ReadAccess = () => Promise<AccessState>;
