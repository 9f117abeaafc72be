import type { TokenScope } from "@easel/protocol/management";
import type { z } from "zod";
import type { JsonText } from "./json-text.ts";
import type { ToolCall } from "./tool-call.ts";

/** The hints of a tool for programs (MCP, `ToolAnnotations`). They describe the tool and decide nothing. */
export interface ToolHints {
  /** Whether it changes nothing. */
  readOnlyHint?: boolean;
  /** Whether it may replace or remove what exists. Only for tools that change something. */
  destructiveHint?: boolean;
  /** Whether calling it again with the same arguments changes nothing more. */
  idempotentHint?: boolean;
  /** Whether it reaches people or systems outside of the canvases of the caller. */
  openWorldHint?: boolean;
}

/** What a tool returns: a short text for the model, and the same as an object for programs. */
export interface ToolAnswer<Output> {
  text: string;
  content: { [Name in keyof Output]: Output[Name] | JsonText };
}

/** What a tool returns instead if the person must answer first. `reply` is the result of `tools/call` that asks. */
export class Asked {
  readonly reply: object;

  constructor(reply: object) {
    this.reply = reply;
  }
}

/** What a tool is, besides its function. The description, the titles and the schemas are constant: they never contain stored data. */
interface Description<Input extends z.ZodObject, Output extends z.ZodObject> {
  /** The name, in snake case. */
  name: string;
  title: string;
  /** What the tool does and when to use it, for the model. One or two sentences, because every program pays for them in each conversation. */
  description: string;
  /** The lowest scope of a connected tool that may call it. The tool acts with this scope and never with more. */
  scope: TokenScope;
  hints: ToolHints;
  /** The schema of the arguments. */
  input: Input;
  /** The schema of the structured content: its fields without the details of their values. */
  output: Output;
}

interface Definition<Input extends z.ZodObject, Output extends z.ZodObject>
  extends Description<Input, Output> {
  /** Runs the tool for a caller whose scope allows it. Throws a `Refusal` for every error that the program should see. */
  run(call: ToolCall, args: z.output<Input>): Promise<ToolAnswer<z.input<Output>> | Asked>;
}

/** A tool of `/mcp` as one table entry. The list of tools, the docs and the checks are derived from it. */
export interface Tool extends Description<z.ZodObject, z.ZodObject> {
  /** Runs the tool with arguments that its schema has parsed. */
  run(call: ToolCall, args: never): Promise<ToolAnswer<object> | Asked>;
}

/** Defines a tool. */
export const tool = <const Input extends z.ZodObject, const Output extends z.ZodObject>(
  definition: Definition<Input, Output>,
): Tool => definition;
