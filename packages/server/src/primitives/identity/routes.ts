import type { Capability } from "@easel/protocol/capabilities";
import type { Identity } from "@easel/protocol/types";
import { permissionsOf } from "../../access/permissions.ts";
import { isGuest } from "../../access/principal.ts";
import { availableOn } from "../../canvases/capabilities.ts";
import { policyOf } from "../../canvases/policy.ts";
import type { Primitive } from "../primitive.ts";
import { resourcesOf } from "./resources.ts";

/** The identity primitive: `GET /me` returns the caller, their role and their effective permissions (specification 4.2). */
export const identity: Primitive = {
  capability: "identity",
  routes: {
    "/me": {
      async GET(call, env) {
        const { user, canvas, role } = call;
        const available = await availableOn(canvas, env);
        const isOn = (capability: Capability) => available.has(capability);
        const me: Identity = {
          id: user.id,
          email: user.email,
          name: user.name,
          avatarUrl: user.avatarUrl,
          kind: isGuest(user) ? "guest" : "member",
          canvasRole: role,
          permissions: permissionsOf(call, isOn),
          resources: resourcesOf(await policyOf(canvas, env), role, isOn),
        };
        return JSON.stringify(me);
      },
    },
  },
};
