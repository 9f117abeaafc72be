/** The values that each field of a row may have. */
type Factors<Row> = { [Name in keyof Row]: readonly Row[Name][] };

/** Returns a small number of rows in which every two values of different factors occur together. Equal factors give equal rows. */
export function pairs<Row extends Record<string, string>>(factors: Factors<Row>): Row[] {
  const names = Object.keys(factors) as (keyof Row)[];
  const keyOf = (one: keyof Row, a: string, other: keyof Row, b: string) =>
    names.indexOf(one) < names.indexOf(other)
      ? `${String(one)}=${a}&${String(other)}=${b}`
      : `${String(other)}=${b}&${String(one)}=${a}`;
  const missing = new Map<string, Partial<Row>>();
  for (const [index, one] of names.entries())
    for (const other of names.slice(index + 1))
      for (const a of factors[one])
        for (const b of factors[other])
          missing.set(keyOf(one, a, other, b), { [one]: a, [other]: b } as Partial<Row>);

  const rows: Row[] = [];
  for (let [first] = missing.values(); first !== undefined; [first] = missing.values()) {
    const row: Partial<Row> = { ...first };
    const gained = (name: keyof Row, value: string) =>
      Object.entries(row).filter(([other, has]) => missing.has(keyOf(name, value, other, has as string)))
        .length;
    for (const name of names)
      row[name] ??= factors[name].reduce((best, each) =>
        gained(name, each) > gained(name, best) ? each : best,
      );
    for (const one of names)
      for (const other of names) missing.delete(keyOf(one, row[one] as string, other, row[other] as string));
    rows.push(row as Row);
  }
  return rows;
}
