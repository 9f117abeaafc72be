import { refuse } from "../../http/refusal.ts";

/** Throws 400 `INVALID_BODY` for a malformed zip. `why` completes the sentence of the message. */
export const malformed = (why: string): never =>
  refuse("INVALID_BODY", { message: `The bundle is not a sound zip: ${why}.` });
