import type { Identity } from "@easel/protocol/types";
import { z } from "zod";
import { exact } from "../../http/field-schemas.ts";
import { json } from "../description.ts";
import { operation, type Primitive } from "../primitive.ts";
import { effectiveRights, effectiveRightsFields } from "./effective-rights.ts";

const schema = exact<Identity>()(
  "Identity",
  z.strictObject({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    avatarUrl: z.string().nullable(),
    kind: z.enum(["member", "guest"]),
    canvasRole: z.enum(["owner", "editor", "viewer"]),
    ...effectiveRightsFields,
  }),
);

/** The identity primitive: `GET /me` returns the caller, their role and their effective permissions (specification 4.2). */
export const identity: Primitive = {
  capability: "identity",
  title: "Identity",
  summary: "The person who has the page open, as the service has authenticated them.",
  readable: true,
  optimistic: true,
  operations: [
    operation({
      name: "identity.me",
      cost: "cheap",
      method: "GET",
      path: "/me",
      summary: "Returns the caller: identity, role on the canvas, and effective rights.",
      responses: json("The caller.", schema),
      async run(caller, _given, env) {
        const { user, role } = caller;
        const me: Identity = {
          id: user.id,
          email: user.email,
          name: user.name,
          avatarUrl: user.avatarUrl,
          kind: user.kind === "guest" ? "guest" : "member",
          canvasRole: role,
          ...(await effectiveRights(caller, env)),
        };
        return JSON.stringify(me);
      },
    }),
  ],
};
