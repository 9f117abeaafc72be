import type { PreviewLink } from "@easel/protocol/types";
import { actNamed } from "../management/acts.ts";
import { perform, type ToolCall, withOtherScope } from "./tool-call.ts";

const previewAct = actNamed<PreviewLink>("canvas.preview");

/**
 * Makes the link by which the browser of a program opens a version of a canvas once, within ten minutes. The browser is then signed in as the
 * person, and may only read this canvas: that is the scope `read`, which every connected tool has, and with which the link is made.
 */
export async function previewLink(call: ToolCall, id: string, version: string): Promise<string> {
  const given = { params: { id, version }, body: { signedIn: true } };
  const { url } = await perform(withOtherScope(call, "read"), previewAct, given);
  return url;
}
