import type { Json } from "@easel/protocol/types";
import fc from "fast-check";
import type { Asked, Comparisons } from "./record-model.ts";

/** The authors of records. */
export const AUTHORS = ["u-1", "u-2", "guest:u-1"];
const FIELDS = ["a", "b", "c.d", "é", "__proto__", "authorId", "0", "x y"];
const LONG = "l".repeat(250);

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("", "a", "ab", "abc", "A", "b", "a\0", "a\u007f", "é", "e\u0301") },
  fc.constantFrom("a\ud7ff", "a\ue000", "a\uffff", "a\u{10000}", "a\u{10ffff}", "1", "null", "true"),
  fc.constantFrom(
    LONG,
    `${LONG}1234`,
    `${LONG}12345`,
    `${LONG}éé`,
    `${LONG}ééé`,
    `${LONG}123456789`,
    "é".repeat(200),
  ),
  fc.string({ unit: "grapheme", maxLength: 4 }),
);
const number = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(0, -0, 1, -1, 1.5, 2, 10, 100, -100) },
  fc.constantFrom(Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324, -5e-324, 2 ** 53, 2 ** 53 + 2, 1e21, 1 / 3),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const field = fc.constantFrom(...FIELDS);

/** Generates values of records, mostly objects that share a few names of fields, so that queries find some of them. */
export const value: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .array(
        fc.tuple(field, fc.oneof({ weight: 9, arbitrary: scalar }, fc.constantFrom([], ["a"], { a: 1 }))),
        {
          maxLength: 6,
        },
      )
      .map((entries) => Object.fromEntries(entries) as Json),
  },
  scalar,
  fc.constantFrom<Json[]>([], ["a"], [{ a: 1 }]),
);

const operand = scalar.filter((each) => typeof each !== "string" || Buffer.byteLength(each) < 256);
const comparisons = fc.oneof(
  operand.map((eq): Comparisons => ({ eq })),
  fc
    .tuple(fc.constantFrom("lt", "lte", "gt", "gte"), operand)
    .map(([name, each]): Comparisons => ({ [name]: each })),
  fc.tuple(operand, operand).map(([gte, lt]): Comparisons => ({ gte, lt })),
  text.filter((each) => Buffer.byteLength(each) < 256).map((startsWith): Comparisons => ({ startsWith })),
);
const condition = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(
      field.map((name) => `value.${name}`),
      comparisons,
    ),
  },
  fc.tuple(
    fc.constant("authorId"),
    fc.constantFrom(...AUTHORS).map((eq): Comparisons => ({ eq })),
  ),
  fc.tuple(fc.constant("authorId"), comparisons),
);
const order = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.oneof(
      fc.constantFrom("createdAt", "updatedAt"),
      field.map((name) => `value.${name}`),
    ),
  )
  .map((parts) => parts.join(""));
/** Generates valid list queries. */
export const asked: fc.Arbitrary<Asked> = fc
  .record({ where: fc.array(condition, { maxLength: 3 }), orderBy: order })
  .filter(
    ({ where }) =>
      where.flatMap(([, each]) => Object.keys(each)).length <= 3 &&
      new Set(where.map(([name]) => name)).size === where.length,
  );
