import { LIMITS } from "@easel/protocol/limits";
import type { FastifyInstance } from "fastify";
import { assetPath } from "../config/assets.ts";
import { mountPublicText } from "../content/public-text.ts";
import { fillTemplate } from "../docs/fill-template.ts";
import { limits, presets, rights } from "../docs/tables.ts";
import type { Env } from "../env.ts";
import { docPage, docPages, linkTo, sectionOf, tableOf } from "./doc-parts.ts";
import { PAGE_LIMITS } from "./page-limits.ts";
import { howToGetToken } from "./token-help.ts";

/** The headings of the sections of `docs/recipes.md` that `/skill.md` contains. The recipe of each section is a complete canvas. */
const EXAMPLES = ["Poll with results for all", "Whiteboard", "Page that also works signed out"];

/** Maps each name that the templates contain as `{{name}}` to the function that returns the text to insert there. */
function insertsOf(env: Env): Record<string, () => string> {
  const { base, config } = env;
  const tableBelow = (heading: string) => () => tableOf("sdk.md", heading, base.origin);
  return {
    base: () => base.origin,
    canvas: () => base.canvasUrl("{slug}"),
    functions: tableBelow("Functions"),
    records: tableBelow("Records"),
    files: tableBelow("Files"),
    channels: tableBelow("Channels"),
    ai: tableBelow("AI"),
    errors: tableBelow("Errors"),
    presets,
    rights,
    limits: () => limits(PAGE_LIMITS.map((name) => LIMITS[name])),
    requests: () => String(config.canvasPerMinute),
    token: () => howToGetToken(env),
    examples: () =>
      EXAMPLES.map((name) => `## Example: ${name}\n\n${sectionOf("recipes.md", name, base.origin)}`).join(
        "\n\n",
      ),
    pages: () =>
      docPages()
        .filter((page) => !["tutorial.md", "recipes.md"].includes(page))
        .map((page) => linkTo(page, base.origin))
        .join("\n"),
  };
}

const print = (template: "skill" | "llms", env: Env): string =>
  fillTemplate(assetPath(template), insertsOf(env));

/**
 * Mounts the pages that coding agents read: `/llms.txt` lists them, `/skill.md` has what is needed to make and deploy a canvas, and
 * `/docs/…` are the pages of the documentation. All are public and have the addresses of this service filled in.
 */
export function mountAgentPages(app: FastifyInstance, env: Env): void {
  mountPublicText(app, env, {
    path: "/llms.txt",
    type: "text/plain; charset=utf-8",
    print: () => print("llms", env),
  });
  mountPublicText(app, env, {
    path: "/skill.md",
    type: "text/markdown; charset=utf-8",
    print: () => print("skill", env),
  });
  for (const page of docPages())
    mountPublicText(app, env, {
      path: `/docs/${page}`,
      type: "text/markdown; charset=utf-8",
      print: ({ base }) => docPage(page, base.origin),
    });
}
