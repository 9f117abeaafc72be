/** Makes an object of a row's values, in the order of its columns. */
export type RowMaker = (values: unknown[]) => unknown;

/**
 * A maker of plain objects that all have these properties in this order. Compiled, because the engine gives a literal with
 * known names a shape, which is several times quicker to make and to read than an object that is filled name by name.
 */
export function rowMaker(columns: string[]): RowMaker {
  const properties = columns.map((name, index) => `${JSON.stringify(name)}: values[${index}]`);
  return new Function("values", `return { ${properties.join(", ")} }`) as RowMaker;
}
