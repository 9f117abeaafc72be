import { refuse } from "../../http/refusal.ts";

/** Throws 400 `INVALID_BODY` for a zip that contradicts itself. `why` is a clause. */
export const malformed = (why: string): never =>
  refuse("INVALID_BODY", { message: `The bundle is not a sound zip: ${why}.` });
