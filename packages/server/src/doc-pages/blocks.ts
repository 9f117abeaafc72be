/** A part of a page in Markdown. Texts contain the Markdown within lines, except that of `code`. */
export type Block =
  | { kind: "heading"; level: number; text: string }
  | { kind: "code"; file: string | null; text: string }
  | { kind: "list"; ordered: boolean; items: string[] }
  | { kind: "table"; head: string[]; rows: string[][] }
  | { kind: "paragraph"; text: string };

const FENCE = /^```(\S*)(?: (.*))?$/;
const HEADING = /^(#{1,6}) (.+)$/;
const ITEM = /^(-|\d+\.) (.+)$/;

const cells = (row: string): string[] =>
  row
    .replace(/^\| ?/, "")
    .replace(/ ?\|$/, "")
    .split(/ ?(?<!\\)\| ?/)
    .map((cell) => cell.replaceAll("\\|", "|"));

/** Whether a line ends a paragraph or an item of a list. */
const begins = (line: string) =>
  line === "" || FENCE.test(line) || HEADING.test(line) || ITEM.test(line) || line.startsWith("|");

/**
 * Divides a page into its blocks. Reads the Markdown that the documentation uses, and no more: headings, fenced code, lists without further
 * lists in them, tables and paragraphs.
 */
export function blocksOf(markdown: string): Block[] {
  const lines = markdown.split("\n");
  const blocks: Block[] = [];
  let at = 0;
  const line = () => lines[at] ?? "";
  const take = () => lines[at++] ?? "";
  /** Takes the lines that continue the one that was taken last. */
  const rest = () => {
    const text: string[] = [];
    while (at < lines.length && !begins(line())) text.push(take().trim());
    return text;
  };
  while (at < lines.length) {
    const first = take();
    const fence = FENCE.exec(first);
    const heading = HEADING.exec(first);
    if (fence !== null) {
      const text: string[] = [];
      while (at < lines.length && line() !== "```") text.push(take());
      at++;
      blocks.push({ kind: "code", file: fence[2] || null, text: text.join("\n") });
    } else if (heading !== null) {
      const [, marks = "", text = ""] = heading;
      blocks.push({ kind: "heading", level: marks.length, text });
    } else if (first.startsWith("|")) {
      const rows = [first];
      while (line().startsWith("|")) rows.push(take());
      blocks.push({ kind: "table", head: cells(first), rows: rows.slice(2).map(cells) });
    } else if (ITEM.test(first)) {
      const items: string[] = [];
      for (let item = first; ; item = take()) {
        const [, , text = ""] = ITEM.exec(item) ?? [];
        items.push([text, ...rest()].join(" "));
        if (!ITEM.test(line())) break;
      }
      blocks.push({ kind: "list", ordered: !first.startsWith("-"), items });
    } else if (first !== "") {
      blocks.push({ kind: "paragraph", text: [first.trim(), ...rest()].join(" ") });
    }
  }
  return blocks;
}
