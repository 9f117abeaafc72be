import { refuse } from "../../http/refusal.ts";

/** Throws 400 `INVALID_BODY` for a malformed zip. `why` is the end of the error message, such as `a name in it is not UTF-8`. */
export const malformed = (why: string): never =>
  refuse("INVALID_BODY", { message: `The file is not a sound zip: ${why}.` });
