import { z } from "zod";
import { setCapabilities } from "../canvases/switches.ts";
import { readJson } from "../kit/json-body.ts";
import { currentView, managedCanvas } from "./canvas.ts";
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
});

/** Switching a canvas's capabilities on and off (specification 4.11). */
export const capabilities: Routes = {
  "/canvases/:id/capabilities": {
    PATCH: {
      act: "canvas.capabilities",
      run: async (call, env) => {
        const { id } = await managedCanvas(call, env);
        await setCapabilities(id, await readJson(call.request, Patch), env);
        const { capabilities, runtimePolicy, runtimePolicyRevision } = await currentView(
          id,
          call.person,
          env,
        );
        return ok({ capabilities, runtimePolicy, runtimePolicyRevision });
      },
    },
  },
};
