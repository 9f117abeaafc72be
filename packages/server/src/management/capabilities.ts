import { z } from "zod";
import { setCapabilities } from "../canvases/capabilities.ts";
import { policy } from "../canvases/publishing/policy-schema.ts";
import { currentView } from "../canvases/view.ts";
import { isId } from "../crypto/ids.ts";
import { refuse } from "../http/refusal.ts";
import { act } from "./act.ts";
import { json } from "./body-spec.ts";
import { refuseNonOwner } from "./callers.ts";
import { ok } from "./response-spec.ts";
import { capabilitySettings } from "./responses/canvas.ts";

const flag = z.boolean().optional();
const audience = z.enum(["editors", "viewers"]).optional();

const Patch = z.strictObject({
  backendEnabled: flag,
  kv: flag,
  files: flag,
  ai: flag,
  realtime: flag,
  authoring: flag,
  guestAi: flag,
  aiAudience: audience,
  connectionsAudience: audience,
  authoringAudience: audience,
  expectedRuntimePolicy: z.string().nullish(),
  runtimePolicy: policy.nullish(),
});

/** The endpoint for the capability switches and the runtime policy of a canvas (specification 4.11). */
export const capabilities = [
  act({
    name: "canvas.capabilities",
    method: "PATCH",
    path: "/api/canvases/{id}/capabilities",
    summary: "Changes the capability switches, audiences and runtime policy of a canvas.",
    details:
      "See [capabilities](../sharing.md#capabilities). Only the owner changes `guestAi`. A new `runtimePolicy` comes with `expectedRuntimePolicy`, the `runtimePolicyRevision` that it replaces (null at first): 409 `POLICY_CONFLICT` where it has changed.",
    allow: "editor",
    affects: "canvas",
    deploys: [
      "backendEnabled",
      "kv",
      "files",
      "ai",
      "realtime",
      "authoring",
      "expectedRuntimePolicy",
      "runtimePolicy",
    ],
    body: json(Patch),
    response: ok(capabilitySettings),
    errors: ["POLICY_CONFLICT", ["OWNER_ONLY", 403]],
    async run({ user, canvas: { id, role }, body }, env) {
      const { expectedRuntimePolicy: expected, runtimePolicy, ...switches } = body;
      if (switches.guestAi !== undefined && role !== "owner") refuseNonOwner();
      if (runtimePolicy !== undefined && expected === undefined) refuse("POLICY_CONFLICT");
      if (typeof expected === "string" && !isId(expected)) refuse("POLICY_CONFLICT");
      if (!(await setCapabilities(id, switches, { expected, runtimePolicy }, env))) {
        await currentView(id, user, env); // throws 404 if the canvas was deleted
        refuse("POLICY_CONFLICT");
      }
      const { capabilities, capabilitiesOff, ...view } = await currentView(id, user, env);
      const { runtimePolicyRevision } = view;
      const details =
        runtimePolicy === undefined ? switches : { ...switches, runtimePolicy: runtimePolicyRevision };
      return {
        body: { capabilities, capabilitiesOff, runtimePolicy: view.runtimePolicy, runtimePolicyRevision },
        audit: { details },
      };
    },
  }),
];
