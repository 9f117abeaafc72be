const cell = (text: string) => text.replaceAll("|", "\\|");

/** Renders a Markdown table. */
export const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n");

export const code = (text: string): string => `\`${text}\``;
