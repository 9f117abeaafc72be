import { CANVAS_LISTS, type CanvasList, type ListedCanvas } from "@easel/protocol/management";
import { z } from "zod";
import { actNamed } from "../../management/acts.ts";
import { fittingPage, more } from "../answer-text.ts";
import { audienceOf, roleOf, stateOf } from "../canvas-words.ts";
import { tool } from "../tool.ts";
import { perform } from "../tool-call.ts";
import { quoted } from "../untrusted.ts";

const listAct = actNamed<CanvasList>("canvas.list");

/** The most canvases of an answer. */
const LIMIT = 50;

/** Returns what an answer says of a canvas. */
const entryOf = (canvas: ListedCanvas) => ({
  id: canvas.id,
  slug: canvas.slug,
  title: canvas.title,
  url: canvas.url,
  state: canvas.publicationStatus,
  access: canvas.access,
  role: canvas.viewerRole,
  updatedAt: canvas.updatedAt,
  ...(canvas.purgeAt !== undefined && { deletedAt: canvas.deletedAt, purgeAt: canvas.purgeAt }),
});

function lineOf(canvas: ListedCanvas): string {
  const named = `- ${canvas.slug}: ${quoted(canvas.title)}`;
  if (canvas.purgeAt !== undefined)
    return `${named}, id ${canvas.id}, deleted, can be restored until ${new Date(canvas.purgeAt).toISOString().slice(0, 10)}`;
  return `${named} ${canvas.url} ${stateOf(canvas)}; opens for ${audienceOf(canvas)}; ${roleOf(canvas)}`;
}

export const listCanvases = tool({
  name: "list_canvases",
  title: "List canvases",
  description: "Lists canvases, by default own and shared ones.",
  scope: "read",
  hints: { readOnlyHint: true },
  input: z.strictObject({
    list: z.enum(CANVAS_LISTS).optional(),
    query: z.string().describe("Part of title or slug.").optional(),
    next: z.string().optional(),
  }),
  output: z.object({ canvases: z.array(z.unknown()), next: z.string().nullable() }),
  async run(call, { list, query: q, next: cursor }) {
    const read = async (limit: number) => {
      const { canvases, nextCursor } = await perform(call, listAct, {
        query: { list, q, cursor, limit: String(limit) },
      });
      return { entries: canvases, next: nextCursor };
    };
    const { entries, lines, next } = await fittingPage(LIMIT, read, lineOf);
    const none =
      q === undefined ? "There is no canvas in this list." : "No canvas of this list has this text.";
    return {
      text: lines.length === 0 ? none : lines.join("\n") + more(next),
      content: { canvases: entries.map(entryOf), next },
    };
  },
});
