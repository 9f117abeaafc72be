import { setImmediate as nextTurn } from "node:timers/promises";
import { skillOf } from "../agents/mount.ts";
import { addressOf, GROUPS, markdownOf, pagesOf } from "../doc-pages/doc-files.ts";
import { type DocText, docTextOf, type Section, sectionsOf } from "../doc-pages/doc-page.ts";
import { DocSearch } from "../doc-pages/search.ts";
import type { Env } from "../env.ts";

/** A text that programs can read as a resource of the protocol. */
interface Resource {
  uri: string;
  name: string;
  title: string;
  mimeType: "text/markdown";
  read(): string;
}

/** The texts of the service for programs: `/skill.md` and the documentation. They are read when they are first needed. */
export class Docs {
  readonly #env: Env;
  #pages: Promise<DocText[]> | undefined;
  #search: DocSearch<DocText> | undefined;
  #skill: Section[] | undefined;
  #resources: Resource[] | undefined;

  constructor(env: Env) {
    this.#env = env;
  }

  /** The pages of the documentation, in their order. */
  pages(): Promise<DocText[]> {
    this.#pages ??= this.#readPages();
    return this.#pages;
  }

  /** Reads the pages, one in each turn of the event loop. */
  async #readPages(): Promise<DocText[]> {
    const pages: DocText[] = [];
    for (const page of GROUPS.flatMap(pagesOf)) {
      await nextTurn();
      pages.push(docTextOf(page, this.#env.base.origin));
    }
    return pages;
  }

  /** The search over the pages. */
  async search(): Promise<DocSearch<DocText>> {
    this.#search ??= new DocSearch(await this.pages());
    return this.#search;
  }

  /** The sections of `/skill.md`. */
  skill(): Section[] {
    this.#skill ??= sectionsOf(skillOf(this.#env));
    return this.#skill;
  }

  /** What programs can read: `/skill.md`, and the pages by their addresses. */
  resources(): Resource[] {
    this.#resources ??= this.#listResources();
    return this.#resources;
  }

  #listResources(): Resource[] {
    const { origin } = this.#env.base;
    const skill: Resource = {
      uri: "skill://easel/SKILL.md",
      name: "easel",
      title: "Make and deploy canvases",
      mimeType: "text/markdown",
      read: () => skillOf(this.#env),
    };
    return [
      skill,
      ...GROUPS.flatMap(pagesOf).map((page): Resource => {
        const address = addressOf(page);
        const name = address.slice("/docs/".length);
        return {
          uri: `${origin}${address}`,
          name,
          title: /^# (.+)$/m.exec(markdownOf(page, origin))?.[1] ?? name,
          mimeType: "text/markdown",
          read: () => markdownOf(page, origin),
        };
      }),
    ];
  }
}
