import type { PhasedSection, RecordPolicy } from "@easel/protocol/policy";
import type { Json } from "@easel/protocol/types";
import { z } from "zod";
import { manages } from "../access/roles.ts";
import { announceAccess } from "../canvases/open-connections.ts";
import { entryOf, phaseOf, policyOf, setPhase } from "../canvases/policy.ts";
import type { Env } from "../env.ts";
import { parseJson } from "../http/body.ts";
import { refuse } from "../http/refusal.ts";
import { writeAudit } from "../organisation/audit.ts";
import { announceChange, type Change } from "./change-feed.ts";
import { type Call, type Route, withBody } from "./primitive.ts";
import { readValue } from "./value.ts";

/** The schema of a phase: the current one, or null, and the names of those that the policy has. */
export const phase = z
  .strictObject({ phase: z.string().nullable(), phases: z.array(z.string()) })
  .meta({ id: "Phase" });

/** The schema of the body that switches a phase. */
export const phaseBody = z.object({
  phase: z.string().nullable().meta({ description: "A phase of the policy; null for none." }),
});

/** What differs between the phases of collections and of file groups. */
interface Phased {
  section: PhasedSection;
  /** Returns the policy of the collection or group in the path. Throws 404 if there is none. */
  open(call: Call, env: Env): Promise<RecordPolicy>;
  /** Returns the change that asks readers to read everything again. */
  reread(name: string): Change;
}

const nameIn = ({ params }: Call) => params.name ?? "";

const phaseText = (phase: string | null, { phases = {} }: RecordPolicy): string =>
  JSON.stringify({ phase, phases: Object.keys(phases) });

/** Returns the phase in a body: a name, or null. Throws 400 `INVALID_BODY` unless the policy has the phase. */
function parsePhase(given: Json, { phases }: RecordPolicy): string | null {
  const phase =
    typeof given === "object" && given !== null && !Array.isArray(given) ? given.phase : undefined;
  if (phase === null) return null;
  if (typeof phase === "string" && entryOf(phases, phase) !== undefined) return phase;
  const known = Object.keys(phases ?? {});
  const names =
    known.length === 0 ? "The policy has no phases here." : `The policy has: ${known.join(", ")}.`;
  return refuse("INVALID_BODY", { message: `\`phase\` must be a phase of the policy, or null. ${names}` });
}

/**
 * Returns the route of the phase of a collection or file group. Everyone with a role reads it; the owner and editors switch it. Open
 * connections are rechecked before the response, so that nobody who may no longer read gets a further change.
 */
export const phaseRoute = ({ section, open, reread }: Phased): Route => ({
  async GET(call, env) {
    const entry = await open(call, env);
    const policy = await policyOf(call.canvas, env);
    return phaseText(phaseOf({ section, name: nameIn(call) }, policy, call.canvas.phases), entry);
  },
  PUT: withBody({
    async may(call, env) {
      const entry = await open(call, env);
      return manages(call.role) ? entry : refuse("PERMISSION_DENIED");
    },
    read: readValue,
    async run(call, entry, body, env) {
      const { canvas, user, address } = call;
      const [name, phase] = [nameIn(call), parsePhase(parseJson(body), entry)];
      if (await setPhase(canvas.id, { section, name, phase }, await policyOf(canvas, env), env)) {
        await announceAccess({ canvas: canvas.id }, env);
        announceChange(canvas.id, reread(name), env);
        const entry = { act: "canvas.phase", canvas: canvas.id, target: name, details: { section, phase } };
        await writeAudit({ actor: user, address, ...entry }, env);
      }
      return phaseText(phase, entry);
    },
  }),
});
