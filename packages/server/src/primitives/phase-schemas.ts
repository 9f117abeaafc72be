import { z } from "zod";

/** The schema of a phase: the current one, or null, and the names of those that the policy has. */
export const phase = z
  .strictObject({ phase: z.string().nullable(), phases: z.array(z.string()) })
  .meta({ id: "Phase" });

/** The schema of the body that switches a phase. */
export const phaseBody = z.object({
  phase: z.string().nullable().meta({ description: "A phase of the policy; null for none." }),
});
