import { readFileSync } from "node:fs";
import path from "node:path";
import type { FastifyInstance } from "fastify";
import { mountPublicText } from "../content/public-text.ts";
import { limits, presets, rights } from "../docs/tables.ts";
import type { Env } from "../env.ts";
import { docPage, docPages, linkTo, sectionOf, tableOf } from "./doc-parts.ts";
import { howToGetToken } from "./token-help.ts";

/** The headings of the sections of `docs/recipes.md` that `/skill.md` contains. The recipe of each section is a complete canvas. */
const EXAMPLES = ["Poll with results for all", "Whiteboard", "Page that also works signed out"];

/** Maps each name that the templates contain as `{{name}}` to the function that returns the text to insert there. */
const INSERTS: Record<string, (env: Env) => string> = {
  base: ({ base }) => base.origin,
  canvas: ({ base }) => base.canvasUrl("{slug}"),
  functions: ({ base }) => tableOf("sdk.md", "Functions", base.origin),
  records: ({ base }) => tableOf("sdk.md", "Records", base.origin),
  files: ({ base }) => tableOf("sdk.md", "Files", base.origin),
  channels: ({ base }) => tableOf("sdk.md", "Channels", base.origin),
  ai: ({ base }) => tableOf("sdk.md", "AI", base.origin),
  errors: ({ base }) => tableOf("sdk.md", "Errors", base.origin),
  presets,
  rights,
  limits,
  requests: ({ config }) => String(config.canvasPerMinute),
  token: howToGetToken,
  examples: ({ base }) =>
    EXAMPLES.map((name) => `## Example: ${name}\n\n${sectionOf("recipes.md", name, base.origin)}`).join(
      "\n\n",
    ),
  pages: ({ base }) =>
    docPages()
      .filter((page) => !["tutorial.md", "recipes.md"].includes(page))
      .map((page) => linkTo(page, base.origin))
      .join("\n"),
};

const print = (template: string, env: Env): string =>
  readFileSync(path.join(import.meta.dirname, template), "utf8").replace(
    /\{\{(\w+)\}\}/g,
    (_all, name: string) => {
      const insert = INSERTS[name];
      if (insert === undefined) throw new Error(`${template} inserts ${name}, which does not exist`);
      return insert(env);
    },
  );

/**
 * Mounts the pages that coding agents read: `/llms.txt` lists them, `/skill.md` has what is needed to make and deploy a canvas, and
 * `/docs/…` are the pages of the documentation. All are public and have the addresses of this service filled in.
 */
export function mountAgentPages(app: FastifyInstance, env: Env): void {
  mountPublicText(app, env, {
    path: "/llms.txt",
    type: "text/plain; charset=utf-8",
    print: () => print("llms.txt", env),
  });
  mountPublicText(app, env, {
    path: "/skill.md",
    type: "text/markdown; charset=utf-8",
    print: () => print("skill.md", env),
  });
  for (const page of docPages())
    mountPublicText(app, env, {
      path: `/docs/${page}`,
      type: "text/markdown; charset=utf-8",
      print: ({ base }) => docPage(page, base.origin),
    });
}
