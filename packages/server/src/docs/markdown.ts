import { readFileSync } from "node:fs";

const cell = (text: string) => text.replaceAll("|", "\\|");

/** Renders a Markdown table. */
export const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

export const code = (text: string): string => `\`${text}\``;

/** Joins words as in a sentence: "a, b and c". */
export const enumeration = (words: string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

/**
 * Returns the text of a template file, in which `{{name}}` is replaced by what the function of this name in `inserts` returns. Throws an
 * error if there is no such function.
 */
export const fillTemplate = (file: string, inserts: Record<string, () => string>): string =>
  readFileSync(file, "utf8").replace(/\{\{(\w+)\}\}/g, (_all, name: string) => {
    const print = inserts[name];
    if (print === undefined) throw new Error(`${file} inserts ${name}, which does not exist`);
    return print();
  });
