import type { Canvas } from "@easel/protocol/types";
import { z } from "zod";
import { requireExpected } from "../../canvases/versions.ts";
import { refuse } from "../../http/refusal.ts";
import { actNamed } from "../../management/acts.ts";
import { findMeant } from "../canvas-reference.ts";
import { makeCanvas, refuseNewFields } from "../deploy/make-canvas.ts";
import { requireNotPublic } from "../deploy/public-link.ts";
import { explainingConflict } from "../deploy/version-conflict.ts";
import { tool } from "../tool.ts";
import { perform, type ToolCall } from "../tool-call.ts";
import { shellCommand } from "../upload/shell-command.ts";
import { issueUpload, UPLOAD_MS, UPLOAD_PATH } from "../upload/upload-ticket.ts";

const readAct = actNamed<Canvas>("canvas.read");
/** An act of editors that changes nothing, by which the right to deploy is checked. */
const checkAct = actNamed<unknown>("canvas.connections");

const input = z.strictObject({
  canvas: z.string().optional(),
  title: z.string().optional(),
  slug: z.string().optional(),
  folder: z.string().optional(),
  expected_version: z.string().optional(),
});

/** Finds the canvas to which the folder is deployed, and the version that must be published then. Creates a new canvas. */
async function targetOf(
  call: ToolCall,
  args: z.output<typeof input>,
): Promise<{ canvas: Canvas; expectedVersion: string | null }> {
  const { canvas: reference, title, slug, expected_version: expected } = args;
  if (reference === undefined) return { canvas: await makeCanvas(call, title, slug), expectedVersion: null };
  const meant = await findMeant(call, reference);
  refuseNewFields(args);
  requireNotPublic(call, meant, "publish");
  await perform(call, checkAct, { params: { id: meant.id } });
  await explainingConflict(call, meant.id, () => requireExpected(meant.id, expected, call.env));
  const canvas = await perform(call, readAct, { params: { id: meant.id } });
  return { canvas, expectedVersion: expected ?? meant.versionId };
}

export const uploadCommand = tool({
  name: "upload_command",
  title: "Upload a folder",
  description:
    "Returns a shell command that deploys a folder on disk, once, within 15 minutes. Run it yourself.",
  scope: "deploy",
  hints: { destructiveHint: false },
  input,
  output: z.object({ canvas: z.string(), url: z.string(), command: z.string() }),
  async run(call, args) {
    const { folder = "." } = args;
    if (folder === "" || /\p{Cc}/u.test(folder))
      refuse("INVALID_BODY", {
        message: "`folder` must be the path of a folder, without control characters.",
      });
    const { canvas, expectedVersion } = await targetOf(call, args);
    const { caller, app, env } = call;
    const upload = { app: app.id, canvas: canvas.id, expectedVersion, isNew: args.canvas === undefined };
    const ticket = issueUpload(caller.user, upload, env);
    const command = shellCommand(folder, `${env.base.origin}${UPLOAD_PATH}`, ticket);
    const minutes = UPLOAD_MS / 60_000;
    const text = `Run this in a POSIX shell (on Windows in Git Bash) within ${minutes} minutes. It deploys the folder as the whole canvas, and works once.\n\n${command}`;
    return { text, content: { canvas: canvas.id, url: canvas.url, command } };
  },
});
