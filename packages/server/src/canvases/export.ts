import { statementText, type Value } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { type CanvasTable, rowsOfCanvas, tablesOf } from "./canvas-data.ts";

/** The maximum number of rows that one statement reads. */
const SLICE_ROWS = 100;
/** The approximate maximum size in bytes of the rows that one statement reads. */
const SLICE_BYTES = 1024 * 1024;

/** A row of a table, with the columns that an export contains. */
export interface ExportedRow {
  table: string;
  row: Record<string, Value>;
}

/** Builds the statement that reads the next rows of a canvas from a table: the first ones, or those after a given primary key. */
function sliceText(name: string, table: CanvasTable, columns: readonly string[], isFirst: boolean) {
  const key = table.key.join(", ");
  const after = isFirst ? "" : `and (${key}) > (${table.key.map(() => "?").join(", ")})`;
  const selected = [...new Set([...table.key, ...columns])].join(", ");
  const where = rowsOfCanvas(table);
  return statementText(
    `select ${selected} from ${name} where ${where} ${after} order by ${key} limit ${SLICE_ROWS}`,
  );
}

/**
 * Reads the rows of a canvas that an export contains, table by table and ordered by primary key. Yields rows of all authors, so the
 * consumer must leave out those that the exporting user may not read.
 */
export async function* exportedRows(
  canvasId: string,
  { canvasData, db }: Pick<Env, "canvasData" | "db">,
): AsyncGenerator<ExportedRow> {
  for (const [name, table] of tablesOf(canvasData)) {
    const { exported, key } = table;
    if (exported === undefined) continue;
    const next = sliceText(name, table, exported, false);
    let slice = await db.head<Record<string, Value>>(
      SLICE_BYTES,
      sliceText(name, table, exported, true),
      canvasId,
    );
    for (;;) {
      for (const row of slice.rows) {
        yield {
          table: name,
          row: Object.fromEntries(exported.map((column) => [column, row[column] ?? null])),
        };
      }
      const last = slice.rows.at(-1);
      if (last === undefined || (slice.rows.length < SLICE_ROWS && !slice.more)) break;
      slice = await db.head(SLICE_BYTES, next, canvasId, ...key.map((column) => last[column] ?? null));
    }
  }
}
