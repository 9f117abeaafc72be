import { LIMITS } from "@easel/protocol/limits";
import type { Person } from "@easel/protocol/types";
import { z } from "zod";
import { exact } from "../../http/field-schemas.ts";
import { type Description, json } from "../description.ts";

const person = exact<Person>()(
  "Person",
  z.strictObject({ id: z.string(), name: z.string(), avatarUrl: z.string().nullable() }),
);

const ids = z
  .string()
  .meta({ description: `Ids of people, separated by commas, at most ${LIMITS.peoplePerRequest.value}.` });

/** Describes `GET /people` for the OpenAPI document. */
export const peopleOperations: Description = {
  title: "People",
  summary: "Names for the ids of people in records, submissions and files.",
  operations: {
    "GET /people": {
      id: "people.get",
      summary:
        "Returns the names and pictures of people who have left something on the canvas that the caller may read.",
      details: "All other people are left out, and so are ids that nobody has.",
      query: z.object({ ids }),
      responses: json("The people, in the order of `ids`.", z.strictObject({ people: z.array(person) })),
    },
  },
};
