import { text } from "node:stream/consumers";
import { z } from "zod";
import { findMeant } from "../canvas-reference.ts";
import { tool } from "../tool.ts";
import { performRuntime } from "../tool-call.ts";

export const readData = tool({
  name: "read_data",
  title: "Read data",
  description: "Reads the keys of a canvas.",
  scope: "read",
  hints: { readOnlyHint: true },
  input: z.strictObject({ canvas: z.string() }),
  output: z.object({ entries: z.array(z.unknown()) }),
  async run(call, { canvas: reference }) {
    const canvas = await findMeant(call, reference);
    const answer = await performRuntime(call, canvas, "kv.list", {});
    const body = typeof answer === "string" || "pipe" in answer ? answer : (answer.body ?? "");
    const json = typeof body === "string" || body instanceof Uint8Array ? String(body) : await text(body);
    return { text: json, content: JSON.parse(json) };
  },
});
