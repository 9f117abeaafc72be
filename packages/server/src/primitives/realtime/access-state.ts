import type { RuntimePolicy } from "@easel/protocol/policy";
import type { Admitted } from "../../pipeline/visit.ts";

/** The user of a connection, with the canvas, the role and the policy, as they were last read from the database. */
export interface AccessState extends Admitted {
  policy: RuntimePolicy;
  /**
   * The expiry of the token that an authenticating proxy has signed for the user, in epoch milliseconds. Infinite if the service does not
   * use such tokens, 0 if the connection was opened without one.
   */
  until: number;
}

/**
 * Authenticates the user of a connection again, and re-reads the user's role and the canvas's policy. Throws a `Refusal` if the user has
 * lost access.
 */
export type ReadAccess = () => Promise<AccessState>;
