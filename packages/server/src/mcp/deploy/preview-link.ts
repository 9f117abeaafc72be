import type { PreviewLink } from "@easel/protocol/types";
import { actNamed } from "../../management/acts.ts";
import { perform, type ToolCall, withScope } from "../tool-call.ts";

const previewAct = actNamed<PreviewLink>("canvas.preview");

/**
 * Makes the link by which the browser of the program opens a version of a canvas once, within ten minutes, in a session that may only read this
 * canvas. The session is what the scope `read` allows, so every tool that may deploy can make one.
 */
export async function previewLink(call: ToolCall, id: string, version: string): Promise<string> {
  const { app, caller } = call;
  const user = { ...caller.user, restriction: null };
  if (user.kind !== "member") throw new TypeError("a guest has no connected tools");
  const signing = { ...call, caller: { ...caller, user: withScope(user, app, "full") } };
  const { url } = await perform(signing, previewAct, { params: { id, version }, body: { signedIn: true } });
  return url;
}
