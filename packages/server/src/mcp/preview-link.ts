import type { PreviewLink } from "@easel/protocol/types";
import type { Member } from "../access/principal.ts";
import { actNamed } from "../management/acts.ts";
import { perform, type ToolCall, withScope } from "./tool-call.ts";

const previewAct = actNamed<PreviewLink>("canvas.preview");

/**
 * Makes a link that shows a version of a canvas in the browser of a program. The browser that opens it is signed in as the person, and may
 * only read this canvas: that is the scope `read`, which every connected tool has, and with which the link is made.
 */
export async function previewLink(call: ToolCall, canvasId: string, version: string): Promise<PreviewLink> {
  const user = withScope(call.caller.user as Member, call.app, "read");
  const reading = { ...call, caller: { ...call.caller, user } };
  return perform(reading, previewAct, { params: { id: canvasId, version }, body: { signedIn: true } });
}
