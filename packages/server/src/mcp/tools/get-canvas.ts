import type { CallLogPage, Usage, VersionList } from "@easel/protocol/management";
import type { Canvas, VersionFiles } from "@easel/protocol/types";
import { z } from "zod";
import { actNamed } from "../../management/acts.ts";
import { more, textPart } from "../answer-text.ts";
import { findMeant } from "../canvas-reference.ts";
import { audienceOf, roleOf, stateOf } from "../canvas-words.ts";
import { previewLink } from "../preview-link.ts";
import { tool } from "../tool.ts";
import { perform, type ToolCall } from "../tool-call.ts";
import { bounded, NOTICE, quoted, visibleJson } from "../untrusted.ts";

const readAct = actNamed<Canvas>("canvas.read");
const versionsAct = actNamed<VersionList>("canvas.versions");
const filesAct = actNamed<VersionFiles>("canvas.version-files");
const usageAct = actNamed<Usage>("canvas.usage");
const logAct = actNamed<CallLogPage>("canvas.log");

/** The most files and errors among the details. Tools of their own have all of them. */
const FILES = "200";
const ERRORS = "10";

/** Reads the details of a canvas by name. Each list or object is what the management API returns, without what a program does not need. */
const DETAILS = {
  versions: async (call: ToolCall, { id }: Canvas) =>
    (await perform(call, versionsAct, { params: { id } })).versions,
  policy: async (_call: ToolCall, { runtimePolicy, runtimePolicyRevision }: Canvas) => [
    { revision: runtimePolicyRevision, policy: runtimePolicy },
  ],
  async usage(call: ToolCall, { id }: Canvas) {
    const { counts, bytes, spend, views, realtime } = await perform(call, usageAct, { params: { id } });
    const used = Object.fromEntries(Object.entries(counts).filter(([, each]) => each.used > 0));
    const { total, people } = views ?? { total: null, people: null };
    return [{ counts: used, bytes, ai: spend, views: { total, people }, connections: realtime.connections }];
  },
  errors: async (call: ToolCall, { id }: Canvas) =>
    (await perform(call, logAct, { params: { id }, query: { limit: ERRORS } })).entries,
  async files(call: ToolCall, { id, version }: Canvas) {
    if (version === null) return [];
    const params = { id, version };
    const { files } = await perform(call, filesAct, { params, query: { limit: FILES } });
    return files.map(({ path, size, mime }) => ({ path, size, mime }));
  },
  people: async (_call: ToolCall, { owner, people, teams }: Canvas) => [
    { ...owner, role: "owner" },
    ...people,
    ...teams.map(({ id, name, role }) => ({ team: name, id, role })),
  ],
} satisfies Record<string, (call: ToolCall, canvas: Canvas) => Promise<object[]>>;

type Detail = keyof typeof DETAILS;
const NAMES = Object.keys(DETAILS) as [Detail, ...Detail[]];

/** Returns which parts of the backend work, and why others do not. */
function backendOf({ capabilities, capabilitiesOff }: Canvas): string {
  const off = Object.entries(capabilitiesOff);
  if (!capabilities.backendEnabled) return "Backend: off. Switch it on with `configure_canvas`.";
  const why = off.map(([name, reason]) => `${name} (${reason})`).join(", ");
  return `Backend: on${why === "" ? "" : `; off: ${why}`}.`;
}

/** Returns the most important thing to do next. */
function nextStepOf({ publicationStatus, capabilities, version }: Canvas): string {
  if (publicationStatus === "draft") return "Next: `deploy_canvas` stores its first version.";
  if (version === null) return "Next: `publish_version` puts a version online again.";
  return capabilities.backendEnabled ? "`read_errors` has its failed calls." : "";
}

/** Returns what an answer says of the canvas itself. */
const summaryOf = (canvas: Canvas) => ({
  id: canvas.id,
  slug: canvas.slug,
  title: canvas.title,
  url: canvas.url,
  state: canvas.publicationStatus,
  access: canvas.access,
  audience: audienceOf(canvas),
  role: canvas.viewerRole,
  version: canvas.version,
  expiresAt: canvas.expiresAt,
  capabilities: canvas.capabilities,
  capabilitiesOff: canvas.capabilitiesOff,
  policyRevision: canvas.runtimePolicyRevision,
});

export const getCanvas = tool({
  name: "get_canvas",
  title: "Show a canvas",
  description:
    "Returns address, state, audience and backend of a canvas (slug, id or URL), and details. `preview` makes `preview_url`, which your browser opens once.",
  scope: "read",
  hints: { readOnlyHint: true },
  input: z.strictObject({
    canvas: z.string(),
    include: z.array(z.enum(NAMES)).optional(),
    preview: z.string().describe("Version id, or `current`.").optional(),
    next: z.string().optional(),
  }),
  output: z.object({
    canvas: z.unknown(),
    preview_url: z.string().optional(),
    notice: z.string().optional(),
    details: z.unknown().optional(),
    next: z.string().nullable(),
  }),
  async run(call, { canvas: reference, include = [], preview, next: given }) {
    const { id } = await findMeant(call, reference);
    const canvas = await perform(call, readAct, { params: { id } });
    const details: Partial<Record<Detail, object[]>> = {};
    for (const name of new Set(include)) details[name] = await DETAILS[name](call, canvas);
    const link =
      preview === undefined
        ? undefined
        : await previewLink(call, id, preview === "current" ? (canvas.version ?? "") : preview);
    const listed = Object.entries(details).map(
      ([name, entries]) => `${name}:\n${entries.map(visibleJson).join("\n") || "none"}\n`,
    );
    const part = textPart(listed.join(""), given);
    const lines = [
      `${quoted(canvas.title)} ${canvas.url}`,
      `State: ${stateOf(canvas)}${canvas.version === null ? "" : `, version ${canvas.version}`}. It opens for ${audienceOf(canvas)}; ${roleOf(canvas)}.`,
      backendOf(canvas),
      ...(link === undefined
        ? []
        : [
            `Open ${link} in your browser: once, within ten minutes. It is signed in, and may only read this canvas.`,
          ]),
      nextStepOf(canvas),
      ...(part.text === "" ? [] : [bounded(part.text)]),
    ];
    const isWhole = given === undefined && part.next === null;
    return {
      text: lines.filter((line) => line !== "").join("\n") + more(part.next),
      content: {
        canvas: summaryOf(canvas),
        ...(link !== undefined && { preview_url: link }),
        ...(include.length > 0 && { notice: NOTICE, details: isWhole ? details : part.text }),
        next: part.next,
      },
    };
  },
});
