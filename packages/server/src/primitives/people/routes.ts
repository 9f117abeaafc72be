import { LIMITS } from "@easel/protocol/limits";
import { policyOf } from "../../canvases/policy.ts";
import { isId } from "../../crypto/ids.ts";
import type { Query } from "../../http/query.ts";
import { refuse } from "../../http/refusal.ts";
import type { Primitive } from "../primitive.ts";
import { peopleOperations } from "./operations.ts";
import { findPeople, readableBy } from "./store.ts";

/**
 * Parses the query parameter `ids`: ids of people, separated by commas. Returns each id once. Throws 400 `INVALID_BODY` for an invalid id,
 * for no ids, and for more than 100.
 */
function parseIds(query: Query): string[] {
  const ids = [query.ids ?? []].flat().flatMap((value) => value.split(","));
  if (ids.length === 0 || ids.length > LIMITS.peoplePerRequest.value || !ids.every(isId))
    refuse("INVALID_BODY", { message: "`ids` must be 1 to 100 ids of people, separated by commas." });
  return [...new Set(ids)];
}

/**
 * The primitive for the names of people, `GET /people?ids=…`. It returns the name and picture of each person who has left something that
 * the caller may read: a record, a submission or a file. It omits all other ids, so that a caller cannot tell whether a person has them.
 */
export const people: Primitive = {
  capability: "identity",
  description: peopleOperations,
  readable: true,
  routes: {
    "/people": {
      async GET(call, env) {
        const ids = parseIds(call.query);
        const readable = readableBy(call, await policyOf(call.canvas, env), env);
        const found = await findPeople(ids, call.canvas.id, call.user.id, readable, env.db);
        const byId = new Map(found.map((person) => [person.id, person]));
        return JSON.stringify({ people: ids.flatMap((id) => byId.get(id) ?? []) });
      },
    },
  },
};
