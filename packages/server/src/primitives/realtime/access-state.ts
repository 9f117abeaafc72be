import type { RuntimePolicy } from "@easel/protocol/policy";
import type { Admitted } from "../../pipeline/visit.ts";

/** The user of a connection and their rights on the canvas, as last read. */
export interface AccessState extends Admitted {
  policy: RuntimePolicy;
  /** When the credentials expire, in epoch milliseconds; infinite if they have no known expiry. */
  until: number;
}

/** Reads access anew, as for a new request. @throws Refusal when the user has lost it. */
export type ReadAccess = () => Promise<AccessState>;
