import { hintOf, remedyOf } from "@easel/protocol/call-hints";
import type { CallLogPage, NamedCall } from "@easel/protocol/management";
import { z } from "zod";
import { actNamed } from "../../management/acts.ts";
import { fittingPage } from "../answer-text.ts";
import { findMeant } from "../canvas-reference.ts";
import { tool } from "../tool.ts";
import { perform } from "../tool-call.ts";
import { bounded, NOTICE, visibleJson } from "../untrusted.ts";

const logAct = actNamed<CallLogPage>("canvas.log");

/** The most entries of an answer. */
const LIMIT = 50;

/** The tools that change what refused a call, by the screen of the dashboard on which people change it. */
const TOOL_OF = { backend: "configure_canvas", sharing: "share_canvas" } as const;

/** Returns what an answer says of a call, or of an error of a page. */
const entryOf = ({ at, method, route, status, code, message, userName, pageError }: NamedCall) =>
  pageError === null
    ? { at: new Date(at).toISOString(), call: `${method} ${route}`, status, code, message, person: userName }
    : { at: new Date(at).toISOString(), code, message, ...pageError, person: userName };

/** Returns what the codes of calls and errors mean and what to do, each once. */
function hintsOf(calls: NamedCall[]): Record<string, string> {
  return Object.fromEntries(
    calls.map((call) => {
      const remedy = remedyOf(call);
      const tool = remedy === null ? "" : ` (\`${TOOL_OF[remedy]}\`)`;
      return [call.code ?? String(call.status), hintOf(call) + tool];
    }),
  );
}

export const readErrors = tool({
  name: "read_errors",
  title: "Read errors",
  description:
    "Returns failed backend calls and script errors of a canvas with what to do: the newest, or those after `next`.",
  scope: "read",
  hints: { readOnlyHint: true },
  input: z.strictObject({ canvas: z.string(), next: z.string().optional() }),
  output: z.object({
    notice: z.string(),
    entries: z.array(z.unknown()),
    hints: z.unknown(),
    dropped: z.number(),
    next: z.string(),
  }),
  async run(call, { canvas: reference, next: after }) {
    const { id } = await findMeant(call, reference);
    let dropped = 0;
    const read = async (limit: number) => {
      const page = await perform(call, logAct, { params: { id }, query: { after, limit: String(limit) } });
      dropped = page.dropped;
      return page;
    };
    const { entries, lines, next } = await fittingPage(LIMIT, read, (entry) => visibleJson(entryOf(entry)));
    const hints = hintsOf(entries);
    const text = [
      lines.length === 0 ? "No errors." : bounded(lines.join("\n")),
      ...Object.entries(hints).map(([code, hint]) => `${code}: ${hint}`),
      ...(dropped > 0 ? [`${dropped} more were not kept, because there were too many.`] : []),
      `Later errors: call again with \`next\`: ${JSON.stringify(next)}.`,
    ].join("\n");
    return {
      text,
      content: { notice: NOTICE, entries: entries.map(entryOf), hints, dropped, next: next ?? "" },
    };
  },
});
