/** Another name here is another round of answers. */
export const COLLECTION = "outing";

const PAGE = 1000;

/** An answer as this page writes it; whatever else a program has stored becomes readable text. */
export function contentOf({ value }) {
  const { choice, comment, name } = Object(value);
  return {
    choice: String(choice ?? ""),
    comment: String(comment ?? ""),
    name: String(name || "Somebody"),
  };
}

/** Everyone's answers, those given last in front. */
export async function readAll() {
  const all = [];
  let cursor = null;
  do {
    const page = await easel.submissions.list(COLLECTION, { cursor, limit: PAGE });
    all.push(...page.entries);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return all.sort((one, other) => other.updatedAt - one.updatedAt);
}

/** How often each choice was made; what is no choice any more counts as something else. */
export function countsOf(answers, choices) {
  const counts = new Map(choices.map((choice) => [choice, 0]));
  for (const answer of answers) {
    const { choice } = contentOf(answer);
    const name = counts.has(choice) ? choice : "Something else";
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** A cell of a table. A spreadsheet would take some texts for formulas: an apostrophe in front keeps them texts. */
const cell = (text) => `"${text.replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;

/** All answers as CSV, in UTF-8 with a mark that spreadsheets know it by. */
export function tableOf(answers) {
  const rows = answers.map((answer) => {
    const { name, choice, comment } = contentOf(answer);
    return [name, choice, comment, new Date(answer.updatedAt).toISOString(), answer.userId];
  });
  const lines = [["name", "choice", "comment", "answered", "user"], ...rows];
  return `\ufeff${lines.map((line) => `${line.map(cell).join(",")}\r\n`).join("")}`;
}
