import assert from "node:assert/strict";
import type { ConnectedTool } from "./connected-tool.ts";

/** Calls a tool, which must be refused, and returns the text that a model reads. */
export async function refusedText(by: ConnectedTool, name: string, args: object): Promise<string> {
  const { isError, content } = await by.call(name, args);
  const text = content[0]?.text ?? "";
  assert.equal(isError, true, text);
  return text;
}
