/**
 * Matches a line break of an event stream. Does not match a carriage return at the end of the text, because a line feed may still follow
 * it.
 */
const LINE_BREAK = /\r\n|\n|\r(?!$)/;

const DATA = "data:";

/**
 * Creates a function that parses a stream of server-sent events piece by piece. The function takes the next piece, of any length, and
 * returns the `data` of each event that ends in this piece. It ignores comments and fields other than `data`.
 */
export function createEventParser(): (text: string) => string[] {
  let rest = "";
  let data: string[] = [];

  return (text) => {
    const lines = (rest + text).split(LINE_BREAK);
    rest = lines.pop() ?? "";
    const events: string[] = [];
    for (const line of lines) {
      if (line.startsWith(DATA)) data.push(line.slice(DATA.length).replace(/^ /, ""));
      if (line !== "" || data.length === 0) continue;
      events.push(data.join("\n"));
      data = [];
    }
    return events;
  };
}
