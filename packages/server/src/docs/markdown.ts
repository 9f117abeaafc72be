const cell = (text: string) => text.replaceAll("|", "\\|");

/** Renders a Markdown table. */
export const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

export const code = (text: string): string => `\`${text}\``;

/** Joins words as in a sentence: "a, b and c". */
export const enumeration = (words: string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
