import { CONNECTION_METHODS } from "@easel/protocol/policy";
import { type Identity, PERMISSIONS } from "@easel/protocol/types";
import { z } from "zod";
import { exact } from "../../http/field-schemas.ts";
import { rights } from "../collections/operations.ts";
import { type Description, json } from "../description.ts";

const channelRights = z
  .strictObject({
    subscribe: z.boolean(),
    publish: z.boolean(),
    seePresence: z.boolean(),
    participatePresence: z.boolean(),
  })
  .meta({ id: "ChannelRights" });

const identity = exact<Identity>()(
  "Identity",
  z.strictObject({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    avatarUrl: z.string().nullable(),
    kind: z.enum(["member", "guest"]),
    canvasRole: z.enum(["owner", "editor", "viewer"]),
    permissions: z.record(z.enum(PERMISSIONS), z.boolean()),
    resources: z.strictObject({
      collections: z.record(z.string(), rights),
      fileGroups: z.record(z.string(), rights),
      channels: z.record(z.string(), channelRights),
      connections: z.record(
        z.string(),
        z.strictObject({ invoke: z.boolean(), methods: z.array(z.enum(CONNECTION_METHODS)) }),
      ),
      models: z.array(z.string()),
    }),
  }),
);

/** Describes `GET /me` for the OpenAPI document. */
export const identityOperations: Description = {
  title: "Identity",
  summary: "The person who has the page open, as the service has authenticated them.",
  operations: {
    "GET /me": {
      id: "identity.me",
      summary: "Returns the caller: identity, role on the canvas, and effective rights.",
      responses: json("The caller.", identity),
    },
  },
};
