import { bodyOf, connect } from "../api/service.ts";
import type { Context } from "../context.ts";
import { createProgram } from "../program.ts";
import { clean } from "../terminal/clean.ts";
import { type Candidate, candidatesOf } from "./candidates.ts";

/** The time within which the service must send the slugs. It is short, because the person is waiting. */
const SLUGS_TIMEOUT_MS = 1_000;

/** The directives of the completion protocol of @bomb.sh/tab that tell the shell which paths to complete. */
const DIRECTIVES = { files: 0, none: 4, folders: 16 };

/** Reads slugs of the caller's canvases. Returns none, and prints nothing, if that fails or takes too long. */
async function readSlugs(q: string, deleted: boolean, context: Context): Promise<Candidate[]> {
  try {
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(SLUGS_TIMEOUT_MS)]);
    const terminal = { ...context.terminal, say() {} };
    const { api } = await connect({ folder: context.cwd }, { ...context, terminal, signal });
    const query = { q, deleted: deleted ? ("true" as const) : ("false" as const) };
    const { canvases } = await bodyOf(api.GET("/api/canvases", { params: { query } }));
    return canvases
      .filter(({ slug }) => /^[a-z0-9-]+$/.test(slug))
      .map(({ slug, title }) => ({ value: slug, description: title }));
  } catch {
    return [];
  }
}

/**
 * Prints the candidates for the last word of a command line, as the completion script of a shell reads them. Each candidate has a line with
 * its description after a tab. The last line is `:N`, where `N` is the number of a directive.
 */
export async function complete(words: readonly string[], version: string, context: Context): Promise<void> {
  const program = createProgram(version, context);
  const { words: found, paths = "none" } = await candidatesOf(program, words, (text, deleted) =>
    readSlugs(text, deleted, context),
  );
  const lines = found.map(({ value, description }) => `${value}\t${clean(description)}\n`);
  context.terminal.print(`${lines.join("")}:${DIRECTIVES[paths]}\n`);
}
