import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { LIMITS } from "@easel/protocol/limits";
import { RIGHTS } from "@easel/protocol/policy";
import type { FastifyInstance } from "fastify";
import { assetPath } from "../config/assets.ts";
import { mountPublicText } from "../content/service-files.ts";
import { GROUPS } from "../doc-pages/doc-files.ts";
import { code, enumeration, fillTemplate } from "../docs/markdown.ts";
import { limits, presets } from "../docs/tables.ts";
import type { Env } from "../env.ts";
import { acceptsTokens } from "../identity/tokens.ts";

const DOCS = assetPath("docs");

/** Returns the pages of the documentation, as paths below `docs/`. */
const docPages = (): string[] =>
  existsSync(DOCS)
    ? readdirSync(DOCS, { recursive: true, encoding: "utf8" })
        .map((file) => file.split(path.sep).join("/"))
        .filter((file) => file.endsWith(".md"))
        .sort()
    : [];

/**
 * Returns the Markdown of a page of the documentation. Replaces `http://localhost:3000`, the address in its examples, by the address of
 * this service.
 */
const docPage = (page: string, base: string): string =>
  readFileSync(path.join(DOCS, page), "utf8").replaceAll("http://localhost:3000", base);

/** Makes relative links of a text from `page` absolute. */
const withAbsoluteLinks = (text: string, page: string, base: string): string =>
  text.replaceAll(/\]\((?!https?:)([^)\s]+)\)/g, (_all, link: string) => {
    const { pathname, hash } = new URL(link.startsWith("#") ? page + link : link, `${base}/docs/${page}`);
    return `](${base}${pathname}${hash})`;
  });

/**
 * Returns the Markdown below a heading of a page, up to the next heading of the same or a higher level. Throws an error if the page has no
 * such heading.
 */
function sectionOf(page: string, heading: string, base: string): string {
  const text = docPage(page, base);
  const [start, level = ""] = new RegExp(`^(#+) ${heading}\n`, "m").exec(text) ?? [];
  if (start === undefined) throw new Error(`docs/${page} has no heading \`${heading}\``);
  const rest = text.slice(text.indexOf(start) + start.length);
  const end = rest.search(new RegExp(`^#{1,${level.length}} `, "m"));
  return withAbsoluteLinks(end < 0 ? rest : rest.slice(0, end), page, base).trim();
}

/** Returns the first table below a heading of a page. */
function tableOf(page: string, heading: string, base: string): string {
  const [table] = /^\|(.+\n)+/m.exec(sectionOf(page, heading, base)) ?? [];
  if (table === undefined) throw new Error(`docs/${page} has no table below \`${heading}\``);
  return table.trim();
}

/** Returns a list entry in Markdown: a link to a page with the title of the page as its text, then the first sentence of the page. */
function linkTo(page: string, base: string): string {
  const text = docPage(page, base);
  const title = /^# (.+)$/m.exec(text)?.[1] ?? page;
  const paragraph = /^# .+\n\n([^#|`\-\n](?:.+\n)+)/m.exec(text)?.[1] ?? "";
  const plain = paragraph.replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, "$1").replaceAll("\n", " ");
  const sentence = /^.*?[.:](?= |$)/.exec(plain.trim())?.[0].replace(/[.:]$/, "");
  return `- [${title}](${base}/docs/${page})${sentence === undefined ? "" : `: ${sentence}`}`;
}

/** Says for each right of a policy who has it. */
const rightsInWords = (): string =>
  Object.entries(RIGHTS)
    .map(([right, { author, managers, everyone }]) => {
      const who = [author && "the author", managers && "owner and editors"].filter((each) => each !== false);
      return `${code(right)} ${everyone ? "everyone with a role" : enumeration(who) || "nobody"}`;
    })
    .join(", ");

/** The limits that the code of an ordinary page has to be written for. */
export const PAGE_LIMITS = [
  ...(["valueBytes", "kvKeysShared", "kvKeysUser", "recordsPerCanvas", "fileBytes"] as const),
  ...(["connectionsPerCanvas", "frameBytes", "publishesPerMinute"] as const),
];

const inDevMode = (base: string) => `In dev mode, this creates one:

\`\`\`sh
curl -sS -c cookies -H 'content-type: application/json' -d '{"email":"dev@example.com"}' ${base}/auth/dev/session
export EASEL_TOKEN=$(curl -sS -b cookies -H 'content-type: application/json' -d '{"name":"agent"}' ${base}/api/tokens | jq -r .token)
\`\`\`
`;

const signedIn = (base: string) =>
  `Only they can give you one: they open ${base}/tokens and copy it. Or begin a sign-in, and tell them the address and the code:

\`\`\`sh
STARTED=$(curl -sS -d 'client_id=easel-cli&host=agent' ${base}/oauth/device_authorization)
echo "$STARTED" | jq -r '"Open \\(.verification_uri) and enter \\(.user_code)"'
\`\`\`

After they have agreed, this fetches the token. Before, it is \`null\`: ask again every five seconds.

\`\`\`sh
GRANT="client_id=easel-cli&grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=$(echo "$STARTED" | jq -r .device_code)"
export EASEL_TOKEN=$(curl -sS -d "$GRANT" ${base}/oauth/token | jq -r .access_token)
\`\`\`
`;

/** Tells how a person gets an access token of this service, which depends on its sign-in mode. */
function howToGetToken({ base, config }: Env): string {
  if (config.authMode === "dev") return inDevMode(base.origin);
  if (!acceptsTokens(config))
    return "This service accepts no access tokens, because its proxy signs every request: ask the person how programs reach it.";
  return signedIn(base.origin);
}

/** The heading of the section of `docs/recipes.md` that `/skill.md` contains: a complete canvas. */
const EXAMPLE = "Poll with results for all";

/**
 * The pages that `/llms.txt` does not list: it names three of them in its own words, and its pages link to the others. Of the pages for
 * operators it has `operating.md` only, because agents make canvases.
 */
const UNLISTED = [
  ...["tutorial.md", "recipes.md", "agents.md", "dashboard.md", "ci.md"],
  ...["first-canvas.md", "how-it-works.md", "contract.md"],
  ...GROUPS.filter(({ title }) => title === "Operate")
    .flatMap(({ pages }) => pages.map((page) => `${page}.md`))
    .filter((page) => page !== "operating.md"),
];

/** Replaces the links of a text by their words. */
const withoutLinks = (text: string): string => text.replaceAll(/\[([^[\]]+)\]\([^()]*\)/g, "$1");

/** Maps each name that the templates contain as `{{name}}` to the function that returns the text to insert there. */
function insertsOf(env: Env): Record<string, () => string> {
  const { base, config } = env;
  const tableBelow = (heading: string) => () => withoutLinks(tableOf("sdk.md", heading, base.origin));
  const agents = acceptsTokens(config);
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
    rights: rightsInWords,
    limits: () => limits(PAGE_LIMITS.map((name) => LIMITS[name])),
    requests: () => String(config.canvasPerMinute),
    token: () => howToGetToken(env),
    ways: () =>
      agents
        ? `best with the tools of ${base.origin}/mcp, if your program speaks MCP ([how](${base.origin}/docs/agents.md)); else `
        : "",
    mcp: () =>
      agents
        ? `- [MCP](${base.origin}/docs/agents.md): the better way for programs that speak it: tools at ${base.origin}/mcp\n`
        : "",
    example: () => `## Example: ${EXAMPLE}\n\n${sectionOf("recipes.md", EXAMPLE, base.origin)}`,
    pages: () =>
      docPages()
        .filter((page) => !UNLISTED.includes(page))
        .map((page) => linkTo(page, base.origin))
        .join("\n"),
  };
}

const print = (template: "skill" | "llms", env: Env): string =>
  fillTemplate(assetPath(template), insertsOf(env));

/** Returns the text of `/skill.md`: what is needed to make and deploy a canvas. */
export const skillOf = (env: Env): string => print("skill", env);

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
    print: () => skillOf(env),
  });
  for (const page of docPages())
    mountPublicText(app, env, {
      path: `/docs/${page}`,
      type: "text/markdown; charset=utf-8",
      print: ({ base }) => docPage(page, base.origin),
    });
}
