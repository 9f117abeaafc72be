/** Converts the values of a row, in the order of its columns, to an object. */
export type RowMaker = (values: unknown[]) => unknown;

/**
 * Returns a function that makes plain objects with these columns as properties, in this order. The function is compiled, because V8 gives
 * an object literal a fixed shape, which is several times faster to create and to read than an object that is filled property by property.
 * Rows with another number of values go to `changed`. The first column is at index `from` of the values.
 */
export function rowMaker(columns: string[], changed: RowMaker, from = 0): RowMaker {
  const properties = columns.map((name, index) => `${JSON.stringify(name)}: values[${from + index}]`);
  const body = `return (values) => values.length === ${from + columns.length} ? ({ ${properties.join(", ")} }) : changed(values)`;
  return new Function("changed", body)(changed) as RowMaker;
}
