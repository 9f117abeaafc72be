import { z } from "zod";
import { actNamed } from "../../management/acts.ts";
import { findMeant } from "../canvas-reference.ts";
import { tool } from "../tool.ts";
import { perform } from "../tool-call.ts";

const readAct = actNamed<{ url: string; title: string }>("canvas.read");

export const getCanvas = tool({
  name: "get_canvas",
  title: "Show a canvas",
  description: "Returns the state of a canvas.",
  scope: "read",
  hints: { readOnlyHint: true },
  input: z.strictObject({ canvas: z.string() }),
  output: z.object({ canvas: z.unknown() }),
  async run(call, { canvas: reference }) {
    const { id } = await findMeant(call, reference);
    const canvas = await perform(call, readAct, { params: { id } });
    return { text: `${JSON.stringify(canvas.title)} at ${canvas.url}`, content: { canvas } };
  },
});
