import path from "node:path";
import { canvasDeclarations } from "@easel/protocol/canvas-declarations";
import { findCanvas } from "../api/find-canvas.ts";
import type { Context } from "../context.ts";
import { readEaselJson } from "../project/easel-json.ts";
import { replaceFile } from "../project/files.ts";
import { clean } from "../terminal/clean.ts";
import { count } from "../terminal/format.ts";

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

const SECTIONS: [section: "collections" | "fileGroups" | "channels" | "connections", thing: string][] = [
  ["collections", "collection"],
  ["fileGroups", "file group"],
  ["channels", "channel"],
  ["connections", "Connection"],
];

/** Says what the declarations name. */
function summaryOf(policy: Partial<Record<(typeof SECTIONS)[number][0], object | undefined>>): string {
  const parts = SECTIONS.flatMap(([section, thing]) => {
    const { length } = Object.keys(policy[section] ?? {});
    return length === 0 ? [] : [count(length, thing)];
  });
  return parts.length === 0
    ? "The policy names no collection, file group, channel or Connection, so the types take any name."
    : `Types for ${parts.join(", ")}. The values of records have the type Json: a policy says nothing about them.`;
}

/** Prints the TypeScript declarations of a canvas, or writes them to a file. A file is replaced as a whole. */
export async function types(options: TypesOptions, context: Context): Promise<void> {
  const policy = (await readPolicy(options, context)) ?? {};
  const text = canvasDeclarations(policy);
  context.terminal.say(summaryOf(policy));
  if (options.output === undefined) return context.terminal.result({ declarations: text }, () => text);
  await replaceFile(path.resolve(context.cwd, options.output), text);
  context.terminal.say(`Wrote ${clean(options.output)}.`);
}
