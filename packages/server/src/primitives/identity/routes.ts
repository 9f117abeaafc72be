import type { Capability } from "@easel/protocol/capabilities";
import type { Identity } from "@easel/protocol/types";
import { permissionsOf } from "../../access/permissions.ts";
import { availableOn } from "../../canvases/capabilities.ts";
import { policyOf } from "../../canvases/policy.ts";
import type { Primitive } from "../primitive.ts";
import { resourcesOf } from "./resources.ts";

/** `GET /me`: who is here and what they may do (specification 4.2). */
export const identity: Primitive = {
  capability: "identity",
  routes: {
    "/me": {
      async GET({ user, canvas, role }, env) {
        const available = await availableOn(canvas, env);
        const isOn = (capability: Capability) => available.has(capability);
        const resources = resourcesOf(await policyOf(canvas, env), role, isOn);
        const isGuest = user.guestOf !== null;
        const me: Identity = {
          id: user.id,
          email: user.email,
          name: user.name,
          avatarUrl: user.avatarUrl,
          kind: isGuest ? "guest" : "member",
          canvasRole: role,
          permissions: permissionsOf(role, canvas.capabilities, isOn, isGuest),
          resources,
        };
        return JSON.stringify(me);
      },
    },
  },
};
