import type { CanvasList } from "@easel/protocol/management";
import { z } from "zod";
import { actNamed } from "../../management/acts.ts";
import { tool } from "../tool.ts";
import { perform } from "../tool-call.ts";

const listAct = actNamed<CanvasList>("canvas.list");

export const listCanvases = tool({
  name: "list_canvases",
  title: "List canvases",
  description: "Lists canvases with their addresses.",
  scope: "read",
  hints: { readOnlyHint: true },
  input: z.strictObject({ query: z.string().optional(), next: z.string().optional() }),
  output: z.object({ canvases: z.array(z.unknown()), next: z.string().nullable() }),
  async run(call, { query, next }) {
    const given = { ...(query !== undefined && { q: query }), ...(next !== undefined && { cursor: next }) };
    const { canvases, nextCursor } = await perform(call, listAct, { query: given });
    const text = canvases
      .map(({ slug, title, url }) => `${slug}: ${JSON.stringify(title)} ${url}`)
      .join("\n");
    return { text, content: { canvases, next: nextCursor } };
  },
});
