import { z } from "zod";
import { authoredCanvas } from "../../canvases/authored-canvas.ts";
import { requireEnabled } from "../../canvases/publication-status.ts";
import { authoredViews } from "../../canvases/view.ts";
import type { Env } from "../../env.ts";
import { type ErrorCase, refuse } from "../../http/refusal.ts";
import { json } from "../description.ts";
import { operation, type Primitive, type RuntimeCaller } from "../primitive.ts";
import { managedBy, onlyCanvasOf, requireAuthor } from "./author.ts";
import { CanvasUpdateFields, canvasBody, NewCanvasFields } from "./form.ts";
import { publishCanvas, recordChange } from "./publish-canvas.ts";
import { listAuthored, matching, revokeCanvas } from "./store.ts";
import { updateCanvas } from "./update-canvas.ts";

const PUBLISHING: ErrorCase[] = [
  "NOT_AUTHENTICATED",
  "PERMISSION_DENIED",
  "PUBLIC_LINKS_DISABLED",
  "PUBLIC_NOT_ALLOWED",
  "ORG_REQUIRED",
  ["INVALID_BODY", 413],
];

const filterSchema = z.object({
  sourceApp: z.string().optional().meta({ description: "Only canvases with this `metadata.sourceApp`." }),
  sourceKind: z.string().optional().meta({ description: "Only canvases with this `metadata.sourceKind`." }),
  tags: z
    .string()
    .optional()
    .meta({ description: "Only canvases with all of these tags, separated by commas." }),
});

/**
 * Returns the id of the canvas in the path. Throws 401 or 403 if the caller may not publish canvases, 404 `NOT_FOUND` if the caller does
 * not manage this canvas, and 409 `DISABLED` if an administrator has disabled it.
 */
async function changeable(
  caller: RuntimeCaller,
  { params }: { params: { id: string } },
  env: Env,
): Promise<string> {
  requireAuthor(caller);
  const row = await managedBy(caller, params.id, env);
  requireEnabled(row);
  return row.id;
}

/** The operations with which a page creates, updates and revokes canvases for the person who has the page open (specification 4.8). */
export const authoring: Primitive = {
  capability: "authoring",
  title: "Authoring",
  summary: "Pages that publish further canvases, in the name of the person who has the page open.",
  readable: true,
  leavesCanvas: true,
  data: {
    otherTables: ["authored_days"],
    people: { authored_days: { ids: ["user_id"], erased: "removed", exported: null } },
  },
  operations: [
    operation({
      name: "authoring.list",
      method: "GET",
      path: "/authoring",
      summary: "Lists the canvases that the caller has published from pages and still manages.",
      responses: json("The canvases.", z.strictObject({ canvases: z.array(authoredCanvas) })),
      errors: ["NOT_AUTHENTICATED", "PERMISSION_DENIED"],
      may: requireAuthor,
      query: { schema: filterSchema, parse: matching },
      async run(caller, { query: matches }, env) {
        const { user } = caller;
        const canvases = await authoredViews(await listAuthored(user, onlyCanvasOf(caller, env), env), env);
        return JSON.stringify({ canvases: canvases.filter(matches) });
      },
    }),
    operation({
      name: "authoring.publish",
      cost: "cheap",
      method: "POST",
      path: "/authoring",
      summary: "Publishes a new canvas.",
      responses: json("The canvas.", authoredCanvas),
      errors: [...PUBLISHING, "SLUG_TAKEN", "QUOTA_EXCEEDED", ["QUOTA_EXCEEDED", 409], "PUBLISH_FAILED"],
      may: requireAuthor,
      body: canvasBody(NewCanvasFields, { bundle: true }),
      async run(
        caller,
        { body: { fields, passwordHash = null, file = refuse("INVALID_BODY") }, signal },
        env,
      ) {
        return JSON.stringify(await publishCanvas(caller, { ...fields, passwordHash }, file, signal(), env));
      },
    }),
    operation({
      name: "authoring.update",
      cost: "cheap",
      method: "PUT",
      path: "/authoring/{id}",
      summary: "Changes the settings of a canvas and, if there is a bundle, deploys it.",
      details: "A field that is left out keeps its value, and null clears it.",
      responses: json("The canvas.", authoredCanvas),
      errors: [
        ...PUBLISHING,
        "PUBLIC_LINK_OWNER_GATED",
        ["DISABLED", 409],
        "SHARE_REVOKED",
        "SHARE_CONFLICT",
        "UPDATE_PARTIAL",
      ],
      may: changeable,
      body: canvasBody(CanvasUpdateFields, { bundle: false }),
      async run(caller, { subject: id, body: { fields, passwordHash, file }, signal }, env) {
        return JSON.stringify(
          await updateCanvas(caller, id, { ...fields, passwordHash }, file, signal(), env),
        );
      },
    }),
    operation({
      name: "authoring.revoke",
      cost: "cheap",
      method: "DELETE",
      path: "/authoring/{id}",
      summary: "Takes a canvas offline.",
      responses: { 204: { description: "The canvas is offline." } },
      errors: ["NOT_AUTHENTICATED", "PERMISSION_DENIED", ["DISABLED", 409]],
      may: changeable,
      async run(caller, { subject: id }, env) {
        if (!(await revokeCanvas(id, env))) refuse("NOT_FOUND");
        await recordChange(caller, { act: "authoring.revoke", canvas: id }, env);
        return { status: 204, body: null };
      },
    }),
  ],
};
