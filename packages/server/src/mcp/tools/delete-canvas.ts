import type { Canvas } from "@easel/protocol/types";
import { z } from "zod";
import { type DeletedRow, RETENTION_MS } from "../../canvases/deletion.ts";
import { actNamed } from "../../management/acts.ts";
import { findDeletedMeant, findMeant, findMeantRow } from "../canvas-reference.ts";
import { audienceOf } from "../canvas-words.ts";
import { askOnPage } from "../confirmation/ask.ts";
import { requireMay } from "../confirmation/require-may.ts";
import { type DeletionChange, needToRestore } from "../deletion/propose-deletion.ts";
import { tool } from "../tool.ts";
import { perform, type ToolCall } from "../tool-call.ts";
import { quoted } from "../untrusted.ts";

const deleteAct = actNamed<undefined>("canvas.delete");
const restoreAct = actNamed<Canvas>("canvas.restore-own");
const readAct = actNamed<Canvas>("canvas.read");

const ask = (call: ToolCall, { id, title }: { id: string; title: string }, change: DeletionChange) =>
  askOnPage(call, {
    tool: "delete_canvas",
    canvas: id,
    args: change,
    sentence: `${quoted(call.app.clientName)} asks to ${change.restore ? "bring back" : "delete"} the canvas ${quoted(title)}.`,
  });

const answerFor = (canvas: Canvas) => ({
  text: `${quoted(canvas.title)} is at ${canvas.url}, open to: ${audienceOf(canvas)}.`,
  content: { canvas: canvas.slug, deleted: false, restorableUntil: null },
});

function inTrash({ id, title, deleted_at }: DeletedRow) {
  const until = new Date(deleted_at + RETENTION_MS).toISOString();
  return {
    text: `${quoted(title)} is in the trash. \`restore\` brings it back until ${until}.`,
    content: { canvas: id, deleted: true, restorableUntil: until },
  };
}

export const deleteCanvas = tool({
  name: "delete_canvas",
  title: "Delete or restore a canvas",
  description:
    "Moves a canvas to the trash, which your person must confirm, or brings it back with `restore` within 30 days.",
  scope: "full",
  hints: { destructiveHint: true, idempotentHint: true },
  input: z.strictObject({ canvas: z.string(), restore: z.boolean().default(false) }),
  output: z.object({ canvas: z.string(), deleted: z.boolean(), restorableUntil: z.string().nullable() }),
  async run(call, { canvas: reference, restore }) {
    const { app, caller, env } = call;
    const deleted = await findDeletedMeant(call, reference);
    if (!restore) {
      if (deleted !== undefined) return inTrash(deleted);
      const row = await findMeantRow(call, reference);
      await requireMay(deleteAct, row.id, call);
      return ask(call, row, { restore });
    }
    if (deleted === undefined) {
      const { id } = await findMeant(call, reference);
      return answerFor(await perform(call, readAct, { params: { id } }));
    }
    const need = await needToRestore(deleted.id, caller.user.id, env);
    if (need === "always" || (need === "unless waived" && app.confirms))
      return ask(call, deleted, { restore });
    return answerFor(await perform(call, restoreAct, { params: { id: deleted.id }, body: {} }));
  },
});
