import { z } from "zod";
import { setCapabilities } from "../canvases/capabilities.ts";
import { currentView } from "../canvases/view.ts";
import { isId } from "../crypto/ids.ts";
import { refuse } from "../http/refusal.ts";
import { actWithJson } from "./act.ts";
import { canvasOf, managedCanvas, requireOwner } from "./canvas.ts";
import { policy } from "./policy-schema.ts";
import { ok, type Routes } from "./route.ts";

const onOff = z.boolean().optional();
const audience = z.enum(["editors", "viewers"]).optional();

const Patch = z.strictObject({
  backendEnabled: onOff,
  kv: onOff,
  files: onOff,
  ai: onOff,
  realtime: onOff,
  authoring: onOff,
  guestAi: onOff,
  aiAudience: audience,
  connectionsAudience: audience,
  authoringAudience: audience,
  expectedRuntimePolicy: z.string().nullish(),
  runtimePolicy: policy.nullish(),
});

/** Switching a canvas's capabilities on and off, and saying who may do what with its data (specification 4.11). */
export const capabilities: Routes = {
  "/canvases/:id/capabilities": {
    PATCH: actWithJson("canvas.capabilities", Patch, {
      may: managedCanvas,
      async run(call, { id, role }, patch, env) {
        const { expectedRuntimePolicy: expected, runtimePolicy, ...switches } = patch;
        if (switches.guestAi !== undefined && role !== "owner") requireOwner();
        if (runtimePolicy !== undefined && expected === undefined) refuse("POLICY_CONFLICT");
        if (typeof expected === "string" && !isId(expected)) refuse("POLICY_CONFLICT");
        if (!(await setCapabilities(id, switches, { expected, runtimePolicy }, env))) {
          await canvasOf(call, env); // 404 where it is gone
          refuse("POLICY_CONFLICT");
        }
        const view = await currentView(id, call.user, env);
        const policyChanged =
          runtimePolicy === undefined ? {} : { runtimePolicy: view.runtimePolicyRevision };
        const details = { ...switches, ...policyChanged };
        return ok(
          {
            capabilities: view.capabilities,
            runtimePolicy: view.runtimePolicy,
            runtimePolicyRevision: view.runtimePolicyRevision,
          },
          { details },
        );
      },
    }),
  },
};
