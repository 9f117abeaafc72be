import { isId } from "../crypto/ids.ts";
import { one, pageLimit, type Query } from "../http/query.ts";
import { refuse } from "../http/refusal.ts";

/** After every id: they begin with a hexadecimal digit. */
const END = "z";

/** What the query of a list asks for: `q` to look for, the id that the page comes before, and its length. */
export function listing(query: Query): { q: string; cursor: string; limit: number } {
  const q = one(query, "q") ?? "";
  const cursor = one(query, "cursor") ?? END;
  if (q.includes("\0")) refuse("INVALID_BODY", { message: "`q` must not hold a NUL." });
  if (!isId(cursor)) refuse("INVALID_BODY", { message: "`cursor` is none of this list." });
  return { q, cursor, limit: pageLimit(query) };
}
