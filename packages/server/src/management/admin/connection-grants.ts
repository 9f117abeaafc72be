import { z } from "zod";
import { refuse } from "../../http/refusal.ts";
import { deleteGrant, putGrant } from "../../organisation/connections/grants.ts";
import { act } from "../act.ts";
import { optionalJson } from "../body-spec.ts";
import { noContent } from "../response-spec.ts";

const Grant = z.strictObject({ public: z.boolean().default(false) });

/** The endpoints that grant profiles of Connections to canvases (management API, section 4). */
export const connectionGrants = [
  act({
    name: "connection.grant",
    method: "PUT",
    path: "/api/admin/connections/{profile}/grants/{canvasId}",
    summary: "Grants a profile to a canvas.",
    details:
      "`public: true` also admits visitors of a Public link, where the policy or the audience of the canvas includes viewers. 404 `NOT_FOUND` if there is no such profile or canvas.",
    allow: "administrator",
    body: optionalJson(Grant),
    response: noContent,
    async run({ params: { profile, canvasId }, body }, env) {
      if (!(await putGrant({ profile, canvasId, isPublic: body.public }, env))) refuse("NOT_FOUND");
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
