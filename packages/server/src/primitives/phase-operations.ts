import type { PhasedSection, RecordPolicy } from "@easel/protocol/policy";
import { z } from "zod";
import { manages } from "../access/roles.ts";
import { announceAccess } from "../canvases/open-connections.ts";
import { entryOf, phaseOf, policyOf, setPhase } from "../canvases/policy.ts";
import type { Env } from "../env.ts";
import { refuse } from "../http/refusal.ts";
import { writeAudit } from "../organisation/audit.ts";
import { announceChange, type Change } from "./change-feed.ts";
import { json } from "./description.ts";
import { operation, type RuntimeCaller, type RuntimeOperation } from "./primitive.ts";
import { valueBody } from "./value.ts";

/** What differs between the phases of collections and of file groups. */
interface Phased {
  section: PhasedSection;
  /** The path of the collection or group. */
  path: "/collections/{name}" | "/files/groups/{name}";
  /** The first part of the names of the operations. */
  prefix: string;
  /** What has the phase, for the docs. */
  of: string;
  /** Returns the policy of the collection or group. Throws 404 if there is none. */
  open(caller: RuntimeCaller, name: string, env: Env): Promise<RecordPolicy>;
  /** Returns the change that asks readers to read everything again. */
  reread(name: string): Change;
}

/** The current phase, or null, and the names of those that the policy has. */
const phase = z
  .strictObject({ phase: z.string().nullable(), phases: z.array(z.string()) })
  .meta({ id: "Phase" });

const phaseBody = z.object({
  phase: z
    .string("must be a phase of the policy, or null")
    .nullable()
    .meta({ description: "A phase of the policy; null for none." }),
});

const phaseText = (current: string | null, { phases = {} }: RecordPolicy): string =>
  JSON.stringify({ phase: current, phases: Object.keys(phases) });

/** Throws 400 `INVALID_BODY` unless the policy has the phase. Null, which stands for no phase, is always allowed. */
function requirePhase(given: string | null, { phases }: RecordPolicy): void {
  if (given === null || entryOf(phases, given) !== undefined) return;
  const known = Object.keys(phases ?? {});
  const names =
    known.length === 0 ? "The policy has no phases here." : `The policy has: ${known.join(", ")}.`;
  refuse("INVALID_BODY", { message: `\`phase\` must be a phase of the policy, or null. ${names}` });
}

/**
 * Returns the operations on the phase of a collection or file group. Everyone with a role reads it; the owner and editors switch it. Open
 * connections are rechecked before the response, so that nobody who may no longer read gets a further change.
 */
export const phaseOperations = ({ section, path, prefix, of, open, reread }: Phased): RuntimeOperation[] => [
  operation({
    name: `${prefix}.phase`,
    cost: "cheap",
    method: "GET",
    path: `${path}/phase`,
    summary: `Returns the current phase of ${of}, and the phases of its policy.`,
    responses: json("The phase.", phase),
    errors: ["COLLECTION_NOT_CONFIGURED"],
    may: (caller, { params: { name } }, env) => open(caller, name, env),
    async run({ canvas }, { params: { name }, subject: entry }, env) {
      return phaseText(phaseOf({ section, name }, await policyOf(canvas, env), canvas.phases), entry);
    },
  }),
  operation({
    name: `${prefix}.setPhase`,
    cost: "cheap",
    method: "PUT",
    path: `${path}/phase`,
    summary: `Switches the phase of ${of}, as its owner or editor: another set of rights applies at once.`,
    responses: json("The phase as it is now.", phase),
    errors: ["COLLECTION_NOT_CONFIGURED", "PERMISSION_DENIED", "VALUE_TOO_LARGE"],
    async may(caller, { params: { name } }, env) {
      const entry = await open(caller, name, env);
      return manages(caller.role) ? entry : refuse("PERMISSION_DENIED");
    },
    body: valueBody(phaseBody),
    async run({ canvas, user, address }, { params: { name }, subject: entry, body }, env) {
      requirePhase(body.phase, entry);
      if (await setPhase(canvas.id, { section, name, ...body }, await policyOf(canvas, env), env)) {
        await announceAccess({ canvas: canvas.id }, env);
        announceChange(canvas.id, reread(name), env);
        const details = { section, ...body };
        const change = { act: "canvas.phase", canvas: canvas.id, target: name, details };
        await writeAudit({ actor: user, address, ...change }, env);
      }
      return phaseText(body.phase, entry);
    },
  }),
];
