import type { Capability } from "@easel/protocol/capabilities";
import { CONNECTION_METHODS } from "@easel/protocol/policy";
import { type Identity, PERMISSIONS } from "@easel/protocol/types";
import { z } from "zod";
import { permissionsOf } from "../../access/roles.ts";
import { capabilitiesOn } from "../../canvases/capabilities.ts";
import { policyOf } from "../../canvases/policy.ts";
import { exact } from "../../http/field-schemas.ts";
import { usableOn } from "../../organisation/connections/grants.ts";
import { json, rights } from "../description.ts";
import { operation, type Primitive } from "../primitive.ts";
import { resourcesOf, usableModels } from "./resources.ts";

const channelRights = z
  .strictObject({
    subscribe: z.boolean(),
    publish: z.boolean(),
    seePresence: z.boolean(),
    participatePresence: z.boolean(),
  })
  .meta({ id: "ChannelRights" });

const schema = exact<Identity>()(
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

/** The identity primitive: `GET /me` returns the caller, their role and their effective permissions (specification 4.2). */
export const identity: Primitive = {
  capability: "identity",
  title: "Identity",
  summary: "The person who has the page open, as the service has authenticated them.",
  readable: true,
  operations: [
    operation({
      name: "identity.me",
      method: "GET",
      path: "/me",
      summary: "Returns the caller: identity, role on the canvas, and effective rights.",
      responses: json("The caller.", schema),
      async run(caller, _given, env) {
        const { user, canvas, role } = caller;
        const on = capabilitiesOn(canvas, env);
        const isOn = (capability: Capability) => on.has(capability);
        const resources = resourcesOf(
          await policyOf(canvas, env),
          caller,
          await usableOn(canvas.id, caller, env),
          isOn,
        );
        const mayConnect = Object.values(resources.connections).some(({ invoke }) => invoke);
        const permissions = permissionsOf({ ...caller, mayConnect }, isOn);
        const models = permissions.canUseAi ? await usableModels(env) : [];
        const me: Identity = {
          id: user.id,
          email: user.email,
          name: user.name,
          avatarUrl: user.avatarUrl,
          kind: user.kind === "guest" ? "guest" : "member",
          canvasRole: role,
          permissions,
          resources: { ...resources, models },
        };
        return JSON.stringify(me);
      },
    }),
  ],
};
