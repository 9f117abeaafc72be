import { z } from "zod";
import type { DocText, Section } from "../../doc-pages/doc-page.ts";
import { refuse } from "../../http/refusal.ts";
import { more, textPart } from "../answer-text.ts";
import { tool } from "../tool.ts";
import type { ToolCall } from "../tool-call.ts";
import { quoted } from "../untrusted.ts";

/** What `start` says before the sections of `/skill.md`, which tell how to deploy without these tools. */
const STEPS = `# Make a canvas with these tools

1. Write \`index.html\`, more files if you like, and \`easel.json\` with the title and the policy, by the rules below.
2. \`deploy_canvas\` with these files makes the canvas and answers with its address. It is private: only your person opens it.
3. Open the \`preview_url\` of the answer in a browser, if you have one, and use the page. Then \`read_errors\` has its failed calls.
4. To change it: \`read_files\`, then \`deploy_canvas\` with edits and the version that you have read. Every version stays; \`publish_version\` goes back.
5. Opening it to more people (\`share_canvas\`) and deleting it (\`delete_canvas\`) is for your person to ask for.

\`guide\` also has the topics \`sdk\`, \`policy\`, \`examples\`, \`errors\` and \`limits\`, each page or section by its address, such as \`sdk#live-data\`, and answers questions.`;

/** The sections of `/skill.md` that tell how to deploy and mend without these tools, and where more is. */
const WITHOUT_TOOLS = /^(Easel at|Steps|Deploy with|Mend it|More)/;

/** The pages of the topics, as addresses. */
const TOPICS: Record<string, string[]> = {
  sdk: ["sdk"],
  policy: ["sharing#policies", "easel-json"],
  examples: ["recipes"],
  errors: ["http/errors"],
  limits: ["http/limits"],
};

/** The sections that a search returns in full, and those that it only names. */
const SHOWN = 3;
const NAMED = 10;

/** Returns the section with an id and those below it; all of a page without an id. */
function within({ sections }: DocText, id: string | undefined): Section[] {
  if (id === undefined) return sections;
  const begin = sections.findIndex((section) => section.id === id);
  const level = sections[begin]?.level ?? 0;
  const after = sections.findIndex((section, index) => index > begin && section.level <= level);
  return begin < 0 ? [] : sections.slice(begin, after < 0 ? undefined : after);
}

/**
 * Returns the sections at an address of the documentation, such as `sdk`, `docs/http/errors.md#codes` or a URL. Returns none if it is no such
 * address.
 */
function sectionsAt(pages: DocText[], address: string): Section[] {
  const url = URL.parse(address.replace(/^\/?docs\//, ""), "http://service/docs/");
  const page = pages.find((each) => each.address === url?.pathname.replace(/\.md$/, ""));
  return page === undefined ? [] : within(page, url?.hash.slice(1) || undefined);
}

const joined = (sections: Section[]): string => sections.map(({ markdown }) => markdown).join("\n\n");

const addressOf = ({ address }: DocText, { level, id }: Section): string =>
  `${address.slice("/docs/".length)}${level === 1 ? "" : `#${id}`}`;

/** Returns the best sections for a question, and the addresses of further ones. */
async function answerTo(question: string, { docs, work }: ToolCall): Promise<string> {
  const search = await docs.search();
  const found = await search.find(question, () => work.pause(), { most: NAMED, needsAll: false });
  if (found.length === 0)
    return refuse("NOT_FOUND", {
      message: `The docs have nothing about ${quoted(question)}.`,
      hint: `Use other words, or one of the topics: start, ${Object.keys(TOPICS).join(", ")}.`,
    });
  const shown = found
    .slice(0, SHOWN)
    .map(({ page, section }) => `<!-- ${addressOf(page, section)} -->\n${section.markdown}`);
  const named = found
    .slice(SHOWN)
    .map(({ page, section }) => `- \`${addressOf(page, section)}\`: ${page.title}, ${section.title}`);
  return [
    ...shown,
    ...(named.length > 0 ? [`Further sections, each a topic:\n\n${named.join("\n")}`] : []),
  ].join("\n\n");
}

async function textOf(topic: string, call: ToolCall): Promise<string> {
  const { docs } = call;
  if (topic === "start")
    return `${STEPS}\n\n${joined(docs.skill().filter(({ title }) => !WITHOUT_TOOLS.test(title)))}`;
  const pages = await docs.pages();
  const addresses = Object.hasOwn(TOPICS, topic) ? (TOPICS[topic] as string[]) : [topic];
  const sections = addresses.flatMap((address) => sectionsAt(pages, address));
  return sections.length > 0 ? joined(sections) : answerTo(topic, call);
}

export const guide = tool({
  name: "guide",
  title: "Read the guide",
  description: "What to know before writing a page. Call it first, with `start`.",
  scope: "read",
  hints: { readOnlyHint: true },
  input: z.strictObject({
    topic: z
      .string()
      .min(1)
      .max(200)
      .describe("start, sdk, policy, examples, errors, limits, or a question."),
    next: z.string().optional(),
  }),
  output: z.object({ text: z.string(), next: z.string().nullable() }),
  async run(call, { topic, next: given }) {
    const { text, next } = textPart(await textOf(topic.trim(), call), given);
    return { text: text + more(next), content: { text, next } };
  },
});
