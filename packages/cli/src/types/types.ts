import path from "node:path";
import { canvasDeclarations } from "@easel/protocol/canvas-declarations";
import { findCanvas } from "../api/find-canvas.ts";
import type { Context } from "../context.ts";
import { readEaselJson } from "../project/easel-json.ts";
import { replaceFile } from "../project/replace-file.ts";
import { clean } from "../terminal/clean.ts";

/** The flags of `easel types`. */
export interface TypesOptions {
  output?: string;
  canvas?: string;
  url?: string;
}

/** Reads the policy of the canvas that is given, or of `easel.json` in the working directory. */
async function readPolicy(options: TypesOptions, context: Context) {
  if (options.canvas === undefined) return (await readEaselJson(context.cwd)).policy;
  return (await findCanvas(options, context)).canvas.runtimePolicy;
}

/** Prints the TypeScript declarations of a canvas, or writes them to a file. A file is replaced as a whole. */
export async function types(options: TypesOptions, context: Context): Promise<void> {
  const text = canvasDeclarations((await readPolicy(options, context)) ?? {});
  if (options.output === undefined) return context.terminal.result({ declarations: text }, () => text);
  await replaceFile(path.resolve(context.cwd, options.output), text);
  context.terminal.say(`Wrote ${clean(options.output)}.`);
}
