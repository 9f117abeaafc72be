import { bytesOf, usageOf } from "../organisation/usage.ts";
import { act } from "./act.ts";
import { ok } from "./response-spec.ts";
import { usage as usageSchema } from "./responses/canvas.ts";

/** The endpoint that returns how much of its quotas and how much storage a canvas uses (management API, section 4). */
export const usage = [
  act({
    name: "canvas.usage",
    method: "GET",
    path: "/api/canvases/{id}/usage",
    summary: "Returns how much of each quota and how many bytes a canvas uses.",
    allow: "editor",
    response: ok(usageSchema),
    async run({ canvas: { id } }, env) {
      const [counts, bytes] = await Promise.all([usageOf(id, env), bytesOf(id, env)]);
      return { body: { counts, bytes } };
    },
  }),
];
