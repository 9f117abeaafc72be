import type { Capability } from "@easel/protocol/capabilities";
import type { Identity } from "@easel/protocol/types";
import { permissionsOf } from "../../access/permissions.ts";
import { isGuest } from "../../access/principal.ts";
import { capabilitiesOn } from "../../canvases/capabilities.ts";
import { policyOf } from "../../canvases/policy.ts";
import { usableModels } from "../../organisation/ai/usable-models.ts";
import { usableOn } from "../../organisation/connections/usable.ts";
import type { Primitive } from "../primitive.ts";
import { identityOperations } from "./operations.ts";
import { resourcesOf } from "./resources.ts";

/** The identity primitive: `GET /me` returns the caller, their role and their effective permissions (specification 4.2). */
export const identity: Primitive = {
  capability: "identity",
  description: identityOperations,
  readable: true,
  routes: {
    "/me": {
      async GET(call, env) {
        const { user, canvas, role } = call;
        const on = capabilitiesOn(canvas, env);
        const isOn = (capability: Capability) => on.has(capability);
        const resources = resourcesOf(
          await policyOf(canvas, env),
          call,
          await usableOn(canvas.id, call, env),
          isOn,
        );
        const mayConnect = Object.values(resources.connections).some(({ invoke }) => invoke);
        const permissions = permissionsOf({ ...call, mayConnect }, isOn);
        const models = permissions.canUseAi ? await usableModels(env) : [];
        const me: Identity = {
          id: user.id,
          email: user.email,
          name: user.name,
          avatarUrl: user.avatarUrl,
          kind: isGuest(user) ? "guest" : "member",
          canvasRole: role,
          permissions,
          resources: { ...resources, models },
        };
        return JSON.stringify(me);
      },
    },
  },
};
