import { type ZodObject, z } from "zod";
import { authoredCanvas } from "../../canvases/authored-canvas.ts";
import type { ErrorCase } from "../../http/refusal.ts";
import { bytes, type Description, json, type RequestBody } from "../description.ts";
import { NewShare, ShareUpdate } from "./form.ts";

const form = (schema: ZodObject): RequestBody => ({
  type: "multipart/form-data",
  schema,
  parts: { metadata: "application/json", bundle: "application/zip" },
});

const bundle = bytes.meta({
  contentMediaType: "application/zip",
  description: "The files of the canvas as a zip.",
});

const PUBLISHING: ErrorCase[] = [
  "NOT_AUTHENTICATED",
  "PERMISSION_DENIED",
  "PUBLIC_LINKS_DISABLED",
  "PUBLIC_NOT_ALLOWED",
  "ORG_REQUIRED",
  ["INVALID_BODY", 413],
];

const filter = z.object({
  sourceApp: z.string().optional().meta({ description: "Only canvases with this `metadata.sourceApp`." }),
  sourceKind: z.string().optional().meta({ description: "Only canvases with this `metadata.sourceKind`." }),
  tags: z
    .string()
    .optional()
    .meta({ description: "Only canvases with all of these tags, separated by commas." }),
});

/** Describes the routes of the authoring primitive for the OpenAPI document. */
export const authoringOperations: Description = {
  title: "Authoring",
  summary: "Pages that publish further canvases, in the name of the person who has the page open.",
  operations: {
    "GET /authoring": {
      id: "authoring.list",
      summary: "Lists the canvases that the caller has published from pages and still manages.",
      query: filter,
      responses: json("The canvases.", z.strictObject({ canvases: z.array(authoredCanvas) })),
      errors: ["NOT_AUTHENTICATED", "PERMISSION_DENIED"],
    },
    "POST /authoring": {
      id: "authoring.publish",
      summary: "Publishes a new canvas.",
      body: form(z.strictObject({ metadata: NewShare, bundle })),
      responses: json("The canvas.", authoredCanvas),
      errors: [...PUBLISHING, "SLUG_TAKEN", "QUOTA_EXCEEDED", ["QUOTA_EXCEEDED", 409], "PUBLISH_FAILED"],
    },
    "PUT /authoring/:id": {
      id: "authoring.update",
      summary: "Changes the settings of a canvas and, if there is a bundle, deploys it.",
      details: "A field that is left out keeps its value, and null clears it.",
      body: form(z.strictObject({ metadata: ShareUpdate, bundle: bundle.optional() })),
      responses: json("The canvas.", authoredCanvas),
      errors: [
        ...PUBLISHING,
        "PUBLIC_LINK_OWNER_GATED",
        ["DISABLED", 409],
        "SHARE_REVOKED",
        "SHARE_CONFLICT",
        "UPDATE_PARTIAL",
      ],
    },
    "DELETE /authoring/:id": {
      id: "authoring.revoke",
      summary: "Takes a canvas offline.",
      responses: { 204: { description: "The canvas is offline." } },
      errors: ["NOT_AUTHENTICATED", "PERMISSION_DENIED", ["DISABLED", 409]],
    },
  },
};
