import { CONNECTION_METHODS } from "@easel/protocol/policy";
import { z } from "zod";
import { distinct } from "../../http/field-schemas.ts";
import { refuse } from "../../http/refusal.ts";
import { deleteGrant, putGrant } from "../../organisation/connections/grants.ts";
import { act } from "../act.ts";
import { optionalJson } from "../body-spec.ts";
import { noContent } from "../response-spec.ts";

/** A path as requests have it: percent-encoded, with `.` and `..` resolved. */
const path = z
  .string()
  .max(1_000)
  .refine(
    (text) => text.startsWith("/") && URL.parse(`https://api.example.com${text}`)?.pathname === text,
    "must be a path such as `/v1/forecast`: percent-encoded, without a query, `.` and `..`",
  );

const MAX_PATHS = 50;

const Grant = z
  .strictObject({
    public: z.boolean().default(false),
    guests: z.boolean().optional(),
    limits: z
      .strictObject({
        paths: z.array(path).min(1).max(MAX_PATHS).optional(),
        methods: z
          .array(z.enum(CONNECTION_METHODS))
          .min(1)
          .refine(distinct, "must not name a method twice")
          .optional(),
        requestsPerDay: z.int().min(1).optional(),
      })
      .default({}),
  })
  .transform((given) => ({ ...given, guests: given.guests ?? given.public }))
  .refine(
    ({ public: open, guests, limits }) => open || guests || Object.keys(limits).length === 0,
    "`limits` are those of guests and visitors, whom this grant does not admit: set `public` or `guests`",
  );

/** The endpoints that grant profiles of Connections to canvases (docs/operating.md#a-profile-and-a-grant). */
export const connectionGrants = [
  act({
    name: "connection.grant",
    method: "PUT",
    path: "/api/admin/connections/{profile}/grants/{canvasId}",
    summary: "Grants a profile to a canvas.",
    details:
      "The grant admits members. `public: true` also admits visitors of a Public link, `guests: true` the guests of the canvas (by default as `public`), where the policy or the audience of the canvas includes viewers. `limits` are those of guests and visitors: the exact `paths`, the `methods`, and how many requests all of them together may send on a day (UTC), of which one caller may send half. 404 `NOT_FOUND` if there is no such profile or canvas.",
    allow: "administrator",
    body: optionalJson(Grant),
    response: noContent,
    async run({ params: { profile, canvasId }, body }, env) {
      if (!(await putGrant(profile, canvasId, body, env))) refuse("NOT_FOUND");
      return { body: undefined, audit: { canvas: canvasId, target: profile, details: body } };
    },
  }),
  act({
    name: "connection.revoke",
    method: "DELETE",
    path: "/api/admin/connections/{profile}/grants/{canvasId}",
    summary: "Ends the grant of a profile to a canvas.",
    allow: "administrator",
    response: noContent,
    async run({ params: { profile, canvasId } }, env) {
      if (!(await deleteGrant(profile, canvasId, env))) refuse("NOT_FOUND");
      return { body: undefined, audit: { canvas: canvasId, target: profile } };
    },
  }),
];
