import type { VersionList } from "@easel/protocol/management";
import type { Canvas, Version } from "@easel/protocol/types";
import { z } from "zod";
import { requireExpected } from "../../canvases/versions.ts";
import { refuse } from "../../http/refusal.ts";
import { actNamed } from "../../management/acts.ts";
import { findMeant } from "../canvas-reference.ts";
import { PUBLIC_NOTE, requireNotPublic } from "../deploy/public-link.ts";
import { explainingConflict } from "../deploy/version-conflict.ts";
import { tool } from "../tool.ts";
import { perform, type ToolCall, withMore } from "../tool-call.ts";
import { quoted } from "../untrusted.ts";

const versionsAct = actNamed<VersionList>("canvas.versions");
const publishAct = actNamed<Canvas>("canvas.publish");
const unpublishAct = actNamed<Canvas>("canvas.unpublish");

const HINT = "`get_canvas` lists the versions.";

/** Returns the version that a word or an id means: `previous` is the one that was published before the current one. */
function versionOf(versions: Version[], given: string): Version {
  const current = versions.findIndex((each) => each.current);
  if (given === "previous")
    return (
      versions.slice(current + 1).find(({ published }) => published) ??
      refuse("NOT_FOUND", { message: "No version was published before the current one.", hint: HINT })
    );
  return (
    versions.find(({ id }) => id === given) ??
    refuse("NOT_FOUND", { message: "The canvas has no such version.", hint: HINT })
  );
}

/** Publishes a version. Returns the canvas, and what a model should know of it. */
async function publish(
  call: ToolCall,
  id: string,
  given: string,
  expected: string | undefined,
): Promise<{ canvas: Canvas; text: string }> {
  const { versions } = await perform(call, versionsAct, { params: { id } });
  const version = versionOf(versions, given);
  const before = versions.find(({ current }) => current)?.id;
  const body = expected === undefined ? {} : { expectedVersion: expected };
  const canvas = await perform(call, publishAct, { params: { id, version: version.id }, body });
  const back =
    before === undefined || before === version.id ? "" : ` Version ${before} brings the former one back.`;
  const note = canvas.access === "public_link" ? `\n${PUBLIC_NOTE}` : "";
  return {
    canvas,
    text: `Published version ${version.id} of ${quoted(canvas.title)} at ${canvas.url}.${back}${note}`,
  };
}

/** Takes a canvas offline. Returns the canvas, and what a model should know of it. */
async function takeOffline(
  call: ToolCall,
  id: string,
  expected: string | undefined,
): Promise<{ canvas: Canvas; text: string }> {
  const acting = withMore(call, "full", "take a canvas offline");
  await requireExpected(id, expected, call.env);
  const canvas = await perform(acting, unpublishAct, { params: { id } });
  const text = `${quoted(canvas.title)} is offline. A version that is published brings it back.`;
  return { canvas, text };
}

export const publishVersion = tool({
  name: "publish_version",
  title: "Publish a version",
  description: "Publishes a stored version (an id or `previous`), or takes the canvas offline.",
  scope: "deploy",
  hints: { destructiveHint: true, idempotentHint: true },
  input: z.strictObject({
    canvas: z.string(),
    version: z.string().optional(),
    offline: z.boolean().optional(),
    expected_version: z.string().optional(),
  }),
  output: z.object({ canvas: z.string(), url: z.string(), version: z.string().nullable() }),
  async run(call, { canvas: reference, version, offline = false, expected_version: expected }) {
    const meant = await findMeant(call, reference);
    if (offline === (version !== undefined))
      refuse("INVALID_BODY", { message: "Give either `version` or `offline: true`." });
    if (version !== undefined) requireNotPublic(call, meant, "publish");
    const { canvas, text } = await explainingConflict(call, meant.id, () =>
      version === undefined
        ? takeOffline(call, meant.id, expected)
        : publish(call, meant.id, version, expected),
    );
    return { text, content: { canvas: canvas.id, url: canvas.url, version: canvas.version } };
  },
});
