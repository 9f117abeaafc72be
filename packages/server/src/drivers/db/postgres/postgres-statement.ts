import { keysOf, type SqlText, textOf, UpdateOne, type Value } from "../db.ts";
import { typeNames } from "./array-values.ts";

/** The error code with which the server refuses a mandatory statement that changes no row: there is no logarithm of zero. */
export const UNCHANGED = "2201E";

/** Matches the codes of errors of a text that the server cannot run for several calls, such as one with a parameter in `limit`. */
const UNFIT = /^(42|0A)/;

const WRITES = /\b(?:insert into|delete from|update \w+ set)\b/i;
const RETURNS = /\breturning\b/i;

/** The text of a statement in the forms that PostgreSQL reads. */
export class Statement {
  readonly #given: string;
  /** The text with numbered parameters. */
  readonly text: string;
  /** The types of the parameters. Undefined until the server has named them; null if one has a type that turns do not support. */
  #types: string[] | null | undefined;
  #mandatory: string | undefined;
  #forCalls: string | undefined;

  constructor(text: string) {
    this.#given = text;
    this.text = withParameters(text, (index) => `$${index}`);
    if (this.text === text) this.#types = null;
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

  /** Notes the error code of a statement for several calls. If it is that of the form, the statement runs for one call at a time. */
  refused(code: string): void {
    if (UNFIT.test(code)) this.#types = null;
  }

  /**
   * The part of a `from` clause that reads the values of several calls from one array for each parameter: a row for each call, whose columns
   * are `p1`, `p2` …, and `p0`, the number of the call from 1.
   */
  protected get calls(): string {
    const types = this.#types ?? [];
    const arrays = types.map((type, index) => `$${index + 1}::${type}[]`);
    return `unnest(${arrays.join(", ")}) with ordinality as calls (${types.map((_, index) => `p${index + 1}`).join(", ")}, p0)`;
  }

  /** The text of the statement for several calls. */
  get forCalls(): string {
    if (this.#forCalls === undefined) this.#forCalls = this.makeForCalls();
    return this.#forCalls;
  }

  /** Makes the text of a statement that returns the first row for each of several calls, after `p0`. */
  protected makeForCalls(): string {
    const text = withParameters(this.#given, ofCall);
    return `select calls.p0, found.* from ${this.calls} cross join lateral
      (select * from (${text}) as found limit 1) as found`;
  }
}

/** Returns a text with `name(1)`, `name(2)` … in the places of its `?`. */
const withParameters = (text: string, name: (index: number) => string): string =>
  text.split("?").reduce((before, part, index) => before + name(index) + part);

const ofCall = (index: number) => `calls.p${index}`;

const parametersOf = (text: string) => text.split("?").length - 1;

/** The text of an update of one row. */
export class UpdateStatement extends Statement {
  readonly #update: UpdateOne;
  readonly #keyStart: number;
  readonly #keyEnd: number;

  constructor(update: UpdateOne) {
    super(update.text);
    this.#update = update;
    this.#keyStart = parametersOf(update.parts.set);
    this.#keyEnd = this.#keyStart + parametersOf(update.parts.key);
  }

  /** Returns a text that is the same for all updates of a row, and different for other rows. */
  rowOf(values: readonly Value[]): string {
    return this.#update.parts.table + keysOf(values.slice(this.#keyStart, this.#keyEnd));
  }

  /**
   * Makes the text of a statement that updates a row for each of several calls, and returns `p0` of those that have changed it. No two calls
   * may have the same row.
   */
  protected override makeForCalls(): string {
    const { table, set, returning } = this.#update.parts;
    const text = `update ${table} set ${set} from ${this.calls} where ${this.#update.where}`;
    return `${withParameters(text, ofCall)} returning calls.p0${returning === undefined ? "" : `, ${returning}`}`;
  }
}

/** Makes one `Statement` for each text, however the text was made. */
export class StatementTexts {
  readonly #known = new Map<SqlText | string, Statement>();

  of(text: SqlText): Statement {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const whole = textOf(text);
    const made =
      this.#known.get(whole) ??
      (text instanceof UpdateOne ? new UpdateStatement(text) : new Statement(whole));
    this.#known.set(whole, made);
    this.#known.set(text, made);
    return made;
  }
}
