import type { Token, Tokens } from "marked";
import { Html } from "../http/html.ts";
import { addressOf, markdownOf, resolveLink } from "./doc-files.ts";
import { render, textOf, tokensOf } from "./render.ts";

/** A heading with the text below it, up to the next heading. */
export interface Section {
  level: number;
  title: string;
  /** The id of the heading in the page. */
  id: string;
  /** The text for the search, without marks. */
  text: string;
}

/** A page of the documentation, rendered. */
export interface DocPage {
  address: string;
  title: string;
  /** The first sentence of the page, without marks. */
  summary: string;
  sections: Section[];
  body: Html;
}

/** Returns the id of a heading, as GitHub makes it: letters, digits, hyphens and underscores. */
const idOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** Reads and renders a page of the documentation. `origin` is the origin of the service. */
export function docPageOf(page: string, origin: string): DocPage {
  const tokens = tokensOf(markdownOf(page, origin));
  const sections: Section[] = [];
  const ids = new Map<Token, string>();
  const used = new Map<string, number>();
  for (const token of tokens) {
    if (token.type === "heading") {
      const title = textOf(token);
      const taken = used.get(idOf(title)) ?? 0;
      used.set(idOf(title), taken + 1);
      const id = taken === 0 ? idOf(title) : `${idOf(title)}-${taken}`;
      ids.set(token, id);
      sections.push({ level: (token as Tokens.Heading).depth, title, id, text: "" });
    } else {
      const section = sections.at(-1);
      if (section !== undefined) section.text += ` ${textOf(token)}`;
    }
  }
  const first = tokens.find((token) => ["paragraph", "table"].includes(token.type) && textOf(token) !== "");
  const opening = first?.type === "paragraph" ? textOf(first) : "";
  const body = render(tokens, {
    addressOf: (link) => resolveLink(page, link),
    idOf: (heading) => ids.get(heading) ?? "",
  });
  return {
    address: addressOf(page),
    title: sections[0]?.title ?? page,
    summary: /^.*?[.:](?= |$)/.exec(opening)?.[0].replace(/:$/, ".") ?? "",
    sections,
    body: new Html(body),
  };
}
