import { typeNames } from "./array-values.ts";
import { type SqlText, textOf } from "./db.ts";

/** The error code with which the server refuses a mandatory statement that changes no row: there is no logarithm of zero. */
export const UNCHANGED = "2201E";

const WRITES = /\b(?:insert into|delete from|update \w+ set)\b/i;
const RETURNS = /\breturning\b/i;

/** The text of a statement in the forms that PostgreSQL reads. */
export class Statement {
  readonly #parts: string[];
  /** The text with numbered parameters. */
  readonly text: string;
  /** The types of the parameters. Undefined until the server has named them; null if one has a type that turns do not support. */
  #types: string[] | null | undefined;
  #mandatory: string | undefined;

  constructor(text: string) {
    this.#parts = text.split("?");
    this.text = this.withParameters((index) => `$${index}`);
    if (this.#parts.length === 1) this.#types = null;
  }

  /** Returns the text with `name(1)`, `name(2)` … in the places of its parameters. */
  withParameters(name: (index: number) => string): string {
    return this.#parts.reduce((before, part, index) => before + name(index) + part);
  }

  /**
   * The text of a statement that fails with `UNCHANGED` if this one changes no row, or returns none. So the server itself decides whether a
   * transaction goes on, and the node need not wait for the number of rows. No other statement of the service takes a logarithm.
   */
  get mandatory(): string {
    if (this.#mandatory === undefined) {
      const text =
        WRITES.test(this.text) && !RETURNS.test(this.text) ? `${this.text} returning 1` : this.text;
      this.#mandatory = `with step as materialized (${text}) select ln(count(*)) from step`;
    }
    return this.#mandatory;
  }

  /** Notes the types of the parameters, as the server has named them in the answer to this statement. */
  learn(types: readonly number[]): void {
    if (this.#types === undefined) this.#types = typeNames(types);
  }

  /** Whether the statement may run for several calls at once: it has parameters, and all their types are known. */
  get joins(): boolean {
    return this.#types != null;
  }

  /** Never again runs the statement for several calls at once. */
  stayAlone(): void {
    this.#types = null;
  }

  /**
   * Returns the part of a `from` clause that reads the values of several calls from one array for each parameter: a row for each call, whose
   * columns are `p1`, `p2` …, and `p0`, the number of the call from 1.
   */
  get calls(): string {
    const types = this.#types ?? [];
    const arrays = types.map((type, index) => `$${index + 1}::${type}[]`);
    return `unnest(${arrays.join(", ")}) with ordinality as calls (${types.map((_, index) => `p${index + 1}`).join(", ")}, p0)`;
  }
}

/** Makes one `Statement` for each text, however the text was made. */
export class StatementTexts {
  readonly #known = new Map<SqlText | string, Statement>();

  of(text: SqlText): Statement {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const whole = textOf(text);
    const made = this.#known.get(whole) ?? new Statement(whole);
    this.#known.set(whole, made);
    this.#known.set(text, made);
    return made;
  }
}
