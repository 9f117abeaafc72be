import type { Json } from "@easel/protocol/types";
import type { Comparison as Compared } from "@easel/sdk";
import { AUTHOR, fieldOf, UPDATED } from "./columns.ts";

/** The most conditions that the API takes. */
export const MAX_CONDITIONS = 3;

/** The comparisons of the API in words. */
export const COMPARISONS = {
  eq: "is",
  gt: "is more than",
  gte: "is at least",
  lt: "is less than",
  lte: "is at most",
  startsWith: "begins with",
} as const;

export type Comparison = keyof typeof COMPARISONS;
export type Scalar = string | number | boolean | null;

/** A condition of a filter: a field of the value (`value.votes`) or `authorId`, compared with a value. */
export interface Condition {
  column: string;
  comparison: Comparison;
  value: Scalar;
}

type Where = Record<string, Compared>;

const NAMES = Object.keys(COMPARISONS) as Comparison[];
const isComparison = (name: string): name is Comparison => NAMES.some((each) => each === name);

const isScalar = (value: unknown): value is Scalar =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

/** Returns `where` as the API takes it. Conditions on the same column are one entry. */
export function whereOf(conditions: readonly Condition[]): Where | undefined {
  if (conditions.length === 0) return undefined;
  const groups = Map.groupBy(conditions, ({ column }) => column);
  return Object.fromEntries(
    [...groups].map(([column, of]): [string, Compared] => {
      const [only] = of;
      return of.length === 1 && only?.comparison === "eq"
        ? [column, only.value]
        : [column, Object.fromEntries(of.map(({ comparison, value }) => [comparison, value]))];
    }),
  );
}

/** Reads the conditions of an address, which anybody can write: what the API would refuse is left out. */
export function conditionsOf(given: object = {}): Condition[] {
  if (Array.isArray(given)) return [];
  const conditions = Object.entries(given).flatMap(([column, wanted]): Condition[] => {
    if (column !== AUTHOR && (fieldOf(column) ?? "") === "") return [];
    if (isScalar(wanted)) return [{ column, comparison: "eq", value: wanted }];
    return Object.entries((wanted ?? {}) as object).flatMap(([comparison, value]: [string, unknown]) =>
      isComparison(comparison) &&
      isScalar(value) &&
      (comparison !== "startsWith" || typeof value === "string")
        ? [{ column, comparison, value }]
        : [],
    );
  });
  return conditions.slice(0, MAX_CONDITIONS);
}

/** Adds a condition. One that compares the same column in the same way is replaced. */
export const withCondition = (conditions: readonly Condition[], added: Condition): Condition[] => [
  ...conditions.filter(
    ({ column, comparison }) => column !== added.column || comparison !== added.comparison,
  ),
  added,
];

const COMPARE: Record<Comparison, (one: Scalar, other: Scalar) => boolean> = {
  eq: (one, other) => one === other,
  gt: (one, other) => (one as number) > (other as number),
  gte: (one, other) => (one as number) >= (other as number),
  lt: (one, other) => (one as number) < (other as number),
  lte: (one, other) => (one as number) <= (other as number),
  startsWith: (one, other) => String(one).startsWith(String(other)),
};

/** Whether a record meets all conditions. As in the API, only values of the same kind are compared. */
export const meets = (
  { authorId, value }: { authorId: string; value: Json },
  conditions: readonly Condition[],
): boolean =>
  conditions.every(({ column, comparison, value: wanted }) => {
    const field = fieldOf(column);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    const found =
      field === null ? authorId : isObject && Object.hasOwn(value, field) ? value[field] : undefined;
    if (!isScalar(found) || typeof found !== typeof wanted || (found === null) !== (wanted === null))
      return false;
    return COMPARE[comparison](found, wanted);
  });

/** The order of a list: by creation, by the last change, or by a field of the value. The newest first is the one without a parameter. */
export const NEWEST = "-createdAt";

/** Returns the order of an address, if it is one that the API has. */
export function orderOfText(text: string | undefined): string {
  const column = text?.replace(/^-/, "") ?? "";
  const isOrder = column === "createdAt" || column === UPDATED || (fieldOf(column) ?? "") !== "";
  return isOrder ? (text as string) : NEWEST;
}

/** Returns the code that reads what the screen shows. */
export function codeOf(name: string, conditions: readonly Condition[], order: string): string {
  const where = whereOf(conditions);
  const options = { ...(where && { where }), orderBy: order };
  return `await easel.kv.collection(${JSON.stringify(name)}).list(${JSON.stringify(options)});`;
}
