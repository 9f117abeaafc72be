/** A place in a text, in UTF-16 code units. */
export interface Span {
  from: number;
  to: number;
}

/** What is wrong with a text, in words. With a `warning`, the text is JSON, but means something else than it seems to. */
export interface TextFault extends Span {
  severity: "error" | "warning";
  message: string;
}

/** What is wrong with the value at a path, such as `["collections", "ideas", "preset"]`. */
export interface ValueFault {
  path: readonly PropertyKey[];
  message: string;
}

/** A fault with its line and column, from 1, if they are known. */
export interface PlacedFault extends TextFault {
  place: { line: number; column: number } | null;
}

/** A value in a text, with the values in it by name or number. */
interface Node extends Span {
  inner: Map<string, Node>;
}

export interface JsonText {
  /** Whether `JSON.parse` accepts the text. Otherwise the faults have one error, the first. */
  isJson: boolean;
  faults: TextFault[];
  /** Returns where the value at a path stands: that of the innermost value around it if it does not exist. */
  placeOf: (path: readonly PropertyKey[]) => Span;
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** What somebody has meant as one word or number. */
const WORD = /[^\s"'{}[\],:]+/y;
/** A text up to its end, or up to the first character that may not be in it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids these, and no others
const TEXT = /"(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y;

/** A text whose reading ends at a fault. */
class Fault extends Error {
  readonly span: Span;
  constructor(message: string, from: number, to: number) {
    super(message);
    this.span = { from, to };
  }
}

/** Reads a text as JSON and says in words what is wrong with it. Nesting may be as deep as memory allows. */
export function readJson(text: string): JsonText {
  const reader = new Reader(text);
  const faults: TextFault[] = [];
  let isJson = true;
  try {
    reader.read();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    isJson = false;
    faults.push({ ...error.span, severity: "error", message: error.message });
  }
  faults.push(...reader.warnings);
  return {
    isJson,
    faults,
    placeOf(path) {
      let node = reader.root;
      for (const step of path) {
        const next: Node | undefined = node.inner.get(String(step));
        if (next === undefined) break;
        node = next;
      }
      return { from: node.from, to: node.to };
    },
  };
}

/** Returns what is wrong with a text: as JSON, and with the values in it. */
export function faultsIn(text: string, further: readonly ValueFault[]): PlacedFault[] {
  const { faults, placeOf } = readJson(text);
  const ofValues = further.map(({ path, message }) => ({
    ...placeOf(path),
    severity: "error" as const,
    message,
  }));
  return [...faults, ...ofValues].map((fault) => ({ ...fault, place: lineOf(text, fault.from) }));
}

class Reader {
  readonly warnings: TextFault[] = [];
  root: Node;
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.root = { from: 0, to: text.length, inner: new Map() };
  }

  read(): void {
    const open: (Node & { close: "}" | "]" })[] = [];
    let name = "";
    /** Puts a value into the object or list that is open, under its name. */
    const place = (node: Node) => {
      const around = open.at(-1);
      if (around === undefined) this.root = node;
      else around.inner.set(name, node);
    };

    this.#space();
    if (this.#at === this.#text.length) throw new Fault("The text is empty. An object is {}.", 0, 0);
    for (;;) {
      // A value follows.
      const from = this.#at;
      const character = this.#text[from];
      const isOpening = character === "{" || character === "[";
      if (isOpening) {
        const node = {
          from,
          to: this.#text.length,
          inner: new Map(),
          close: character === "{" ? "}" : "]",
        } as const;
        place(node);
        open.push(node);
        this.#at++;
        this.#space();
      } else {
        this.#scalar(open.at(-1));
        place({ from, to: this.#at, inner: new Map() });
      }
      // After it, everything that ends here ends, and the next value is looked for.
      let isFirst = isOpening;
      for (;;) {
        this.#space();
        const around = open.at(-1);
        if (around === undefined) {
          if (this.#at < this.#text.length)
            throw this.#wrongWord("Nothing may follow the value that ends before this.");
          return;
        }
        const next = this.#text[this.#at];
        if (next === around.close) {
          around.to = ++this.#at;
          open.pop();
          isFirst = false;
          continue;
        }
        if (next === undefined)
          throw new Fault(
            `The ${this.#text[around.from]} that begins here has no ${around.close}.`,
            around.from,
            around.from + 1,
          );
        if (!isFirst) this.#comma(around);
        if (around.close === "}") name = this.#field(around);
        else name = String(around.inner.size);
        break;
      }
    }
  }

  #space(): void {
    SPACE.lastIndex = this.#at;
    SPACE.test(this.#text);
    this.#at = SPACE.lastIndex;
  }

  /** Reads a comma, and what must follow it. */
  #comma({ close }: { close: string }): void {
    const at = this.#at;
    const next = this.#text[at];
    if (next === "}" || next === "]") throw new Fault(`Here a ${close} is due, not a ${next}.`, at, at + 1);
    if (next !== ",")
      throw this.#wrongWord(next === ":" ? "No colon belongs here." : "A comma is missing before this.");
    this.#at++;
    this.#space();
    if (this.#text[this.#at] === close) throw new Fault(`No comma may stand before ${close}.`, at, at + 1);
  }

  /** Reads the name of a field and its colon. */
  #field({ inner }: Node): string {
    const from = this.#at;
    if (this.#text[from] !== '"') throw this.#wrongWord("The name of a field is due here, in double quotes.");
    const name = JSON.parse(this.#quoted()) as string;
    if (inner.has(name))
      this.warnings.push({
        from,
        to: this.#at,
        severity: "warning",
        message: `The field “${short(name)}” is here twice. The last one counts.`,
      });
    this.#space();
    if (this.#text[this.#at] !== ":")
      throw new Fault(`A colon is missing after “${short(name)}”.`, from, this.#at);
    this.#at++;
    this.#space();
    return name;
  }

  /** Reads a text, a number, `true`, `false` or `null`. */
  #scalar(around: { from: number } | undefined): void {
    const from = this.#at;
    const rest = this.#text[from];
    if (rest === undefined)
      throw around === undefined
        ? new Fault("A value is missing here.", from, from)
        : new Fault("The text ends where a value is due.", Math.max(0, from - 1), from);
    if (rest === '"') {
      this.#quoted();
      return;
    }
    NUMBER.lastIndex = from;
    const number = NUMBER.exec(this.#text)?.[0] ?? "";
    WORD.lastIndex = from;
    const word = WORD.exec(this.#text)?.[0] ?? "";
    if (number !== "" && number === word) {
      this.#at += number.length;
      this.#warnOfNumber(number, from);
      return;
    }
    if (word === "true" || word === "false" || word === "null") {
      this.#at += word.length;
      return;
    }
    if (/^[-+.]?\d/.test(word)) throw this.#wrongWord(`“${short(word)}” is no number of JSON.`);
    throw this.#wrongWord(
      word === ""
        ? "A value is due here."
        : `“${short(word)}” is no value of JSON. Texts stand in double quotes.`,
    );
  }

  #warnOfNumber(number: string, from: number): void {
    const kept = Number(number);
    const isKept =
      Number.isFinite(kept) &&
      (!/^-?\d+$/.test(number) || Number.isSafeInteger(kept) || BigInt(number) === BigInt(kept));
    if (isKept) return;
    this.warnings.push({
      from,
      to: from + number.length,
      severity: "warning",
      message: Number.isFinite(kept)
        ? `This number is kept as ${BigInt(kept)}. A text in double quotes keeps all digits.`
        : "This number is too large, and is not kept.",
    });
  }

  /** Reads a text in quotes, and returns it with them. */
  #quoted(): string {
    const from = this.#at;
    TEXT.lastIndex = from;
    TEXT.test(this.#text);
    const end = TEXT.lastIndex;
    const next = this.#text[end];
    if (next === '"') {
      this.#at = end + 1;
      return this.#text.slice(from, end + 1);
    }
    if (next === "\\")
      throw new Fault(
        "Here \\ begins no escape. A \\ in a text is written \\\\.",
        end,
        Math.min(end + 2, this.#text.length),
      );
    if (next === undefined || next === "\n" || next === "\r")
      throw new Fault(
        "The text that begins here has no closing quote. A line break in it is written \\n.",
        from,
        end,
      );
    throw new Fault(
      next === "\t"
        ? "A tab in a text is written \\t."
        : "This text has a control character. Write it as \\u and its four digits.",
      end,
      end + 1,
    );
  }

  /** A fault at the word that stands here. What people write by habit is told by name. */
  #wrongWord(message: string): Fault {
    const from = this.#at;
    if (this.#text[from] === "'")
      return new Fault("Texts stand in double quotes, not in single ones.", from, from + 1);
    if (this.#text.startsWith("//", from) || this.#text.startsWith("/*", from))
      return new Fault("JSON has no comments.", from, from + 2);
    WORD.lastIndex = from;
    WORD.test(this.#text);
    return new Fault(message, from, Math.max(WORD.lastIndex, Math.min(from + 1, this.#text.length)));
  }
}

/** A name as a sentence shows it. */
const short = (name: string): string => (name.length > 40 ? `${name.slice(0, 40)}…` : name);

/** Returns the line and the column of a place in a text, both from 1. */
export function lineOf(text: string, at: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1 && end < at; end = text.indexOf("\n", end + 1)) {
    line++;
    start = end + 1;
  }
  return { line, column: at - start + 1 };
}
