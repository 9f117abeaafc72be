import type { Json } from "@easel/protocol/types";
import type { Cell } from "./csv.ts";

/** How often people have given one answer. */
export interface Count {
  answer: string;
  count: number;
}

/** What people have answered in one field of their submissions. */
export interface Result {
  /** The name of the field. Null if the values are no objects, and so are the answers themselves. */
  field: string | null;
  /** The number of submissions that have the field. */
  answered: number;
  /** Whether a submission can have several answers, as a list. */
  isMultiple: boolean;
  /** The most frequent answers, at most 12; few numbers in their order. Empty if hardly two people have answered the same, as in a field for free text. */
  counts: readonly Count[];
  /** The number of further answers. */
  others: number;
  /** The number of different answers. */
  different: number;
  /** What is known of numbers. Null unless every answer is a number. */
  numbers: { least: number; most: number; mean: number } | null;
}

type Scalar = string | number | boolean | null;

/** The number of answers that are shown, and of fields. */
const MAX_COUNTS = 12;
const MAX_FIELDS = 50;
/** The number of characters of an answer that are shown. */
const MAX_ANSWER = 200;

const isScalar = (value: Json | undefined): value is Scalar =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

const isFields = (value: Json): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the answers in a value: one, several if it is a list of them, or null if it holds more than answers. */
function answersIn(value: Json | undefined): { answers: readonly Scalar[]; isList: boolean } | null {
  if (isScalar(value)) return { answers: [value], isList: false };
  if (Array.isArray(value) && value.every(isScalar))
    return { answers: [...new Set(value as Scalar[])], isList: true };
  return null;
}

/** Returns an answer in words, such as "Yes" for true. */
export function answerText(answer: Scalar): string {
  if (answer === null || answer === "") return "No answer";
  if (typeof answer === "boolean") return answer ? "Yes" : "No";
  const text = String(answer);
  return text.length > MAX_ANSWER ? `${text.slice(0, MAX_ANSWER)}…` : text;
}

/** What is counted of one field while the values are read. */
class Tally {
  answered = 0;
  isMultiple = false;
  given = 0;
  readonly counts = new Map<Scalar, number>();
  private sum = 0;
  private least = Number.POSITIVE_INFINITY;
  private most = Number.NEGATIVE_INFINITY;
  private numbers = 0;

  add({ answers, isList }: { answers: readonly Scalar[]; isList: boolean }): void {
    this.answered++;
    this.isMultiple ||= isList;
    for (const answer of answers) {
      this.given++;
      this.counts.set(answer, (this.counts.get(answer) ?? 0) + 1);
      if (typeof answer !== "number") continue;
      this.numbers++;
      this.sum += answer;
      this.least = Math.min(this.least, answer);
      this.most = Math.max(this.most, answer);
    }
  }

  result(field: string | null): Result {
    const { answered, isMultiple } = this;
    const different = this.counts.size;
    const areNumbers = this.numbers > 0 && this.numbers === this.given;
    // Few numbers are a scale, which has an order of its own.
    const isScale = areNumbers && different <= MAX_COUNTS;
    const sorted = [...this.counts].sort(
      ([one, ones], [other, others]) => (isScale ? 0 : others - ones) || compare(one, other),
    );
    // Answers of a few people, or the same answer several times, are worth a bar. A hundred different texts are not.
    const isFree = different > MAX_COUNTS && different > this.given * 0.8;
    const counts = isFree
      ? []
      : sorted.slice(0, MAX_COUNTS).map(([answer, count]) => ({ answer: answerText(answer), count }));
    const shown = counts.reduce((sum, { count }) => sum + count, 0);
    return {
      field,
      answered,
      isMultiple,
      counts,
      others: this.given - shown,
      different,
      numbers: areNumbers ? { least: this.least, most: this.most, mean: this.sum / this.numbers } : null,
    };
  }
}

const compare = (one: Scalar, other: Scalar): number =>
  typeof one === "number" && typeof other === "number"
    ? one - other
    : answerText(one).localeCompare(answerText(other));

/**
 * Counts the answers in the values of submissions: in each field of the objects, and the values that are answers themselves. Fields that hold
 * more, such as objects, are left out. The fields have the order in which they first occur.
 */
export function resultsOf(values: Iterable<Json>): readonly Result[] {
  const tallies = new Map<string, Tally>();
  const whole = new Tally();
  for (const value of values) {
    if (!isFields(value)) {
      const answers = answersIn(value);
      if (answers !== null) whole.add(answers);
      continue;
    }
    for (const [field, each] of Object.entries(value)) {
      const answers = answersIn(each);
      if (answers === null) continue;
      const tally = tallies.get(field) ?? new Tally();
      if (tallies.size < MAX_FIELDS) tallies.set(field, tally);
      tally.add(answers);
    }
  }
  return [
    ...(whole.answered > 0 ? [whole.result(null)] : []),
    ...[...tallies].map(([field, tally]) => tally.result(field)),
  ];
}

/** A submission for a table. `name` is null if nobody of that name is known. */
export interface Answered {
  userId: string;
  name: string | null;
  value: Json;
  updatedAt: number;
}

/** Returns submissions as a table: who, when, and a column for each field. What is no answer but a list or an object is JSON. */
export function tableOf(submissions: readonly Answered[]): Cell[][] {
  const fields = new Set<string>();
  let hasValue = false;
  for (const { value } of submissions) {
    if (isFields(value)) for (const field of Object.keys(value)) fields.add(field);
    else hasValue = true;
  }
  const names = [...fields];
  const heads = ["Person", "Id", "Changed", ...(hasValue ? ["Value"] : []), ...names];
  return [
    heads,
    ...submissions.map(({ userId, name, value, updatedAt }) => [
      name ?? "",
      userId,
      new Date(updatedAt).toISOString(),
      ...(hasValue ? [isFields(value) ? null : cellOfJson(value)] : []),
      ...names.map((field) =>
        isFields(value) && Object.hasOwn(value, field) ? cellOfJson(value[field] as Json) : null,
      ),
    ]),
  ];
}

const cellOfJson = (value: Json): Cell => (isScalar(value) ? value : JSON.stringify(value));
