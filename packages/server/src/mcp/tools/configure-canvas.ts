import type { CapabilitySettings } from "@easel/protocol/management";
import type { Canvas, Capabilities } from "@easel/protocol/types";
import { z } from "zod";
import { Refusal, refuse } from "../../http/refusal.ts";
import { actNamed } from "../../management/acts.ts";
import { findMeant } from "../canvas-reference.ts";
import { type Document, mergePolicy, policyChanges } from "../deploy/merge-policy.ts";
import { requireNotPublic } from "../deploy/public-link.ts";
import { explaining } from "../explaining.ts";
import { tool } from "../tool.ts";
import { perform, type ToolCall, withMore } from "../tool-call.ts";
import { quoted, visibleJson } from "../untrusted.ts";

const readAct = actNamed<Canvas>("canvas.read");
const updateAct = actNamed<Canvas>("canvas.update");
const capabilitiesAct = actNamed<CapabilitySettings>("canvas.capabilities");

/** The switches that a tool may turn. */
const SWITCHES = ["backendEnabled", "kv", "files", "ai", "realtime", "authoring"] as const;

/** The settings of capabilities that say who may use them, or spend the money that they cost. */
const AUDIENCES = ["aiAudience", "connectionsAudience", "authoringAudience", "guestAi"];

const input = z.strictObject({
  canvas: z.string(),
  title: z.string().optional(),
  slug: z.string().optional(),
  spa: z.boolean().optional(),
  tags: z.array(z.string()).optional(),
  archived: z.boolean().optional(),
  switches: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(`booleans: ${SWITCHES.join(", ")}`),
  policy: z.record(z.string(), z.unknown()).optional().describe("changes; null removes an entry"),
  replace: z.boolean().optional().describe("policy is the whole document"),
  expected_policy: z.string().optional().describe("revision"),
});

type Args = z.output<typeof input>;

/** Throws unless all switches are those that a tool may turn. */
function requireSwitches(names: string[], { url }: Canvas): void {
  const audience = names.find((name) => AUDIENCES.includes(name));
  if (audience !== undefined)
    refuse("PERMISSION_DENIED", {
      message: `\`${audience}\` says who may do more or spend money, which no tool sets.`,
      hint: `Nothing was changed. Ask your person to set it in the dashboard: the canvas is ${url}`,
    });
  const other = names.find((name) => !SWITCHES.some((known) => known === name));
  if (other !== undefined)
    refuse("INVALID_BODY", {
      message: `There is no switch ${quoted(other)}.`,
      hint: `Nothing was changed. The switches are ${SWITCHES.join(", ")}.`,
    });
}

/**
 * Returns the body of `canvas.capabilities` that changes the policy, or an empty object. A document that replaces the whole policy needs the
 * revision that it replaces; changes apply to the policy that they were merged with, unless another revision is expected.
 */
function policyBody({ policy, replace = false, expected_policy: expected }: Args, canvas: Canvas): object {
  if (policy === undefined) return {};
  const { runtimePolicy: stored, runtimePolicyRevision: revision } = canvas;
  if (replace) return { expectedRuntimePolicy: expected ?? null, runtimePolicy: policy };
  if (expected !== undefined && expected !== revision) refuse("POLICY_CONFLICT");
  return { expectedRuntimePolicy: revision, runtimePolicy: mergePolicy(stored, policy as Document) };
}

/** Does what may be refused with 409 `POLICY_CONFLICT`. Adds to such a refusal which revision there is now, and what to do. */
const explainingPolicy = <Result>(call: ToolCall, id: string, work: () => Promise<Result>): Promise<Result> =>
  explaining("POLICY_CONFLICT", work, async () => {
    const { runtimePolicyRevision } = await perform(call, readAct, { params: { id } });
    return {
      message: "This is not the policy that the canvas has now.",
      hint: `Nothing was changed. Read it with \`get_canvas\`, then send \`expected_policy\`: ${JSON.stringify(runtimePolicyRevision)}.`,
    };
  });

/** Returns the fields that are not undefined. */
const defined = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Returns in words what differs between a canvas before and after. */
function changesOf(before: Canvas, after: Canvas): string[] {
  const fields = (["title", "slug", "spa", "tags"] as const).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const switches = Object.entries(after.capabilities).filter(
    ([name, value]) => before.capabilities[name as keyof Capabilities] !== value,
  );
  return [
    ...fields.map((name) => `${name}: ${visibleJson(after[name])}`),
    ...(before.publicationStatus === after.publicationStatus
      ? []
      : [`it is ${after.publicationStatus} now, and was ${before.publicationStatus}`]),
    ...switches.map(([name, value]) => `${name}: ${value}`),
    ...policyChanges(before.runtimePolicy, after.runtimePolicy),
  ];
}

/** Changes title, slug and routing, and what needs the scope `full`. `done` is what has been changed before, which a refusal says. */
async function update(call: ToolCall, id: string, patch: object, done: string): Promise<void> {
  if (Object.keys(patch).length === 0) return;
  try {
    await perform(call, updateAct, { params: { id }, body: patch });
  } catch (error) {
    if (!(error instanceof Refusal) || done === "") throw error;
    throw new Refusal(error.status, { ...error.body, hint: `${done} has been changed already.` });
  }
}

export const configureCanvas = tool({
  name: "configure_canvas",
  title: "Configure a canvas",
  description: "Changes the settings, switches and policy of a canvas. Who may open it: `share_canvas`.",
  scope: "deploy",
  hints: { destructiveHint: true, idempotentHint: true },
  input,
  output: z.object({
    canvas: z.string(),
    url: z.string(),
    changed: z.array(z.unknown()),
    policy_revision: z.string().nullable(),
  }),
  async run(call, args) {
    const { title, slug, spa, tags, archived, switches = {}, policy } = args;
    const meant = await findMeant(call, args.canvas);
    const { id } = meant;
    const params = { id };
    const before = await perform(call, readAct, { params });
    const patch = defined({ title, slug, spa, tags, archived });
    const names = Object.keys(switches);
    if (names.length === 0 && policy === undefined && Object.keys(patch).length === 0)
      refuse("INVALID_BODY", { message: "Give at least one setting to change." });
    requireSwitches(names, before);
    const ofBackend = names.length > 0 || policy !== undefined;
    requireNotPublic(call, meant, "change what its visitors get");
    const more = tags !== undefined ? "change tags" : archived !== undefined ? "archive a canvas" : null;
    const updating = more === null ? call : withMore(call, "full", more);
    await explainingPolicy(call, id, async () => {
      const body = { ...switches, ...policyBody(args, before) };
      if (ofBackend) await perform(call, capabilitiesAct, { params, body });
    });
    await update(updating, id, patch, ofBackend ? "What you gave as `switches` and `policy`" : "");
    const after = await perform(call, readAct, { params });
    const changed = changesOf(before, after);
    const { url, runtimePolicyRevision: revision } = after;
    const words = changed.length === 0 ? "Nothing differs from before." : `Changed ${changed.join("; ")}.`;
    const text = `${words}\nThe canvas is at ${url}; its policy has the revision ${JSON.stringify(revision)}.`;
    return { text, content: { canvas: id, url, changed, policy_revision: revision } };
  },
});
