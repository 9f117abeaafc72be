import { LIMITS } from "@easel/protocol/limits";
import type { Person } from "@easel/protocol/types";
import { z } from "zod";
import { policyOf } from "../../canvases/policy.ts";
import { isId } from "../../crypto/ids.ts";
import { exact } from "../../http/field-schemas.ts";
import type { Query } from "../../http/query.ts";
import { refuse } from "../../http/refusal.ts";
import { json } from "../description.ts";
import { operation, type Primitive } from "../primitive.ts";
import { findPeople, readableBy } from "./store.ts";

const person = exact<Person>()(
  "Person",
  z.strictObject({ id: z.string(), name: z.string(), avatarUrl: z.string().nullable() }),
);

const ids = z
  .string()
  .meta({ description: `Ids of people, separated by commas, at most ${LIMITS.peoplePerRequest.value}.` });

/**
 * Parses the query parameter `ids`: ids of people, separated by commas. Returns each id once. Throws 400 `INVALID_BODY` for an invalid id,
 * for no ids, and for more than 100.
 */
function parseIds(query: Query): string[] {
  const given = [query.ids ?? []].flat().flatMap((value) => value.split(","));
  if (given.length === 0 || given.length > LIMITS.peoplePerRequest.value || !given.every(isId))
    refuse("INVALID_BODY", { message: "`ids` must be 1 to 100 ids of people, separated by commas." });
  return [...new Set(given)];
}

/**
 * The primitive for the names of people, `GET /people?ids=…`. It returns the name and picture of each person who has left something that
 * the caller may read: a record, a submission or a file. It omits all other ids, so that a caller cannot tell whether a person has them.
 */
export const people: Primitive = {
  capability: "identity",
  title: "People",
  summary: "Names for the ids of people in records, submissions and files.",
  readable: true,
  optimistic: true,
  operations: [
    operation({
      name: "people.get",
      cost: "cheap",
      method: "GET",
      path: "/people",
      summary:
        "Returns the names and pictures of people who have left something on the canvas that the caller may read.",
      details: "All other people are left out, and so are ids that nobody has.",
      query: { schema: z.object({ ids }), parse: parseIds },
      responses: json("The people, in the order of `ids`.", z.strictObject({ people: z.array(person) })),
      async run(caller, { query: wanted }, env) {
        const { canvas, user } = caller;
        const readable = readableBy(caller, await policyOf(canvas, env), env);
        const found = await findPeople(wanted, canvas.id, user.id, readable, env.db);
        const byId = new Map(found.map((each) => [each.id, each]));
        return JSON.stringify({ people: wanted.flatMap((id) => byId.get(id) ?? []) });
      },
    }),
  ],
};
