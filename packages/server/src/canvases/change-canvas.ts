import { type Sql, sqlText, textOf, type Value } from "../drivers/db/db.ts";

/**
 * Returns a template tag for the statement that changes a canvas: what follows `update canvases set`. The statement also moves `updated_at`
 * on, which grows with every change, even if the clock does not.
 */
export const changeCanvas =
  (now: number) =>
  (text: TemplateStringsArray, ...values: Value[]): Sql => [
    sqlText(`update canvases set updated_at = greatest(updated_at + 1, ?), ${textOf(text)}`),
    now,
    ...values,
  ];
