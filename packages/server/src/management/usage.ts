import { bytesOf, usageOf } from "../organisation/usage.ts";
import { readableCanvas } from "./canvas.ts";
import { ok, type Routes } from "./route.ts";

/** What a canvas uses, for those who manage it (management API, section 4). */
export const usage: Routes = {
  "/canvases/:id/usage": {
    async GET(call, env) {
      const { id } = await readableCanvas(call, env);
      const [counts, bytes] = await Promise.all([usageOf(id, env), bytesOf(id, env)]);
      return ok({ counts, bytes });
    },
  },
};
