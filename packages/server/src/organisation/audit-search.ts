import { nextTurn } from "../async/next-turn.ts";
import { asKeys, containing, joined, type Sql, sql } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import type { Paged } from "../http/query.ts";
import { type AuditRow, idAt } from "./audit.ts";

/** The number of entries that one statement looks at, so that none takes long. */
const SLICE = 2_000;
/** The number of slices that are looked at for a page. Then the page ends early. */
const SLICES = 10;
/** How much later or earlier than its time an entry may have got its id, because clocks differ, in milliseconds. */
const SKEW_MS = 10 * 60_000;

/** Which entries of the audit log are read. Undefined does not filter. */
export interface AuditFilter {
  /** The id or the e-mail address of the person who did it. */
  actor?: string | undefined;
  act?: string | undefined;
  target?: string | undefined;
  canvas?: string | undefined;
  /** The name of the program through which it was done. */
  client?: string | undefined;
  /** The first time and the end of the times, in epoch milliseconds. */
  from?: number | undefined;
  to?: number | undefined;
  /** A text that actor, act, target, address, program or details contain, in any letter case. */
  q?: string | undefined;
}

/** The conditions of a filter that have an index, the most selective one first. */
const indexedOf = ({ target, canvas, actor, act }: AuditFilter): Sql[] => [
  ...(target === undefined ? [] : [sql`target = ${target}`]),
  ...(canvas === undefined ? [] : [sql`canvas_id = ${canvas}`]),
  ...(actor === undefined
    ? []
    : [actor.includes("@") ? sql`actor_email = ${actor}` : sql`actor_id = ${actor}`]),
  ...(act === undefined ? [] : [sql`act = ${act}`]),
];

/** Returns the condition that an entry has a program with this name, by the beginning of its text. */
function ofClient(name: string): Sql {
  const text = `${JSON.stringify({ client: name }).slice(0, -1)},`;
  return sql`substr(via, 1, cast(${[...text].length} as integer)) = ${text}`;
}

function othersOf({ from, to, client, q = "" }: AuditFilter): Sql[] {
  const like = containing(q);
  const texts = sql`(lower(actor_email) like ${like} escape '!' or act like ${like} escape '!' or lower(target) like ${like} escape '!'
    or address like ${like} escape '!' or lower(via) like ${like} escape '!' or lower(details) like ${like} escape '!')`;
  return [
    ...(from === undefined ? [] : [sql`at >= ${from}`]),
    ...(to === undefined ? [] : [sql`at < ${to}`]),
    ...(client === undefined ? [] : [ofClient(client)]),
    ...(q === "" ? [] : [texts]),
  ];
}

const allOf = (conditions: readonly Sql[]): Sql[] =>
  conditions.flatMap((condition, index) => (index === 0 ? [condition] : [sql`and`, condition]));

/**
 * Reads a page of the audit log, newest first: at most `limit` entries with ids below `cursor`. One condition selects the index along which
 * entries are read, slice by slice; the other conditions are compared in the slice. A page can therefore end early, even without entries, if
 * few entries match; `nextCursor` continues it.
 */
export async function searchAudit(
  filter: AuditFilter,
  { cursor, limit }: { cursor: string; limit: number },
  { db }: Pick<Env, "db">,
): Promise<Paged<AuditRow>> {
  const [index, ...more] = indexedOf(filter);
  const others = [...more, ...othersOf(filter)];
  const { from, to } = filter;
  const along = (before: string) => [
    ...allOf([
      sql`id < ${to === undefined ? before : ([before, idAt(to + SKEW_MS)].sort()[0] ?? before)}`,
      ...(from === undefined ? [] : [sql`id >= ${idAt(from - SKEW_MS)}`]),
      ...(index === undefined ? [] : [index]),
    ]),
    sql`order by id desc`,
  ];
  const size = others.length === 0 ? limit + 1 : Math.max(SLICE, limit + 1);
  const entries: AuditRow[] = [];
  let before = cursor;
  for (let slices = 0; slices < SLICES; slices++) {
    const [rows, [last]] = await Promise.all([
      db.all<AuditRow>(
        ...joined([
          sql`select * from (select id, at, actor_id, actor_email, act, canvas_id, target, address, details, via from audit where`,
          ...along(before),
          sql`limit ${size}) as slice`,
          ...(others.length === 0 ? [] : [sql`where`, ...allOf(others)]),
          sql`order by id desc limit ${limit + 1 - entries.length}`,
        ]),
      ),
      db.all<{ id: string }>(
        ...joined([sql`select id from audit where`, ...along(before), sql`limit 1 offset ${size - 1}`]),
      ),
    ]);
    entries.push(...rows);
    if (entries.length > limit)
      return { entries: entries.slice(0, limit), nextCursor: entries[limit - 1]?.id ?? null };
    if (last === undefined) return { entries, nextCursor: null };
    before = last.id;
    // SQLite reads within the turn: other requests come in between.
    await nextTurn();
  }
  return { entries, nextCursor: before };
}

/**
 * Reads all entries of a filter, newest first, page by page: no further page is read before the one before has been taken. Entries that are
 * written meanwhile are left out.
 */
export async function* everyAuditEntry(
  filter: AuditFilter,
  env: Pick<Env, "db">,
): AsyncGenerator<AuditRow[]> {
  // Sorts after every id.
  let cursor: string | null = "z";
  while (cursor !== null) {
    const page: Paged<AuditRow> = await searchAudit(filter, { cursor, limit: 1_000 }, env);
    if (page.entries.length > 0) yield page.entries;
    cursor = page.nextCursor;
    await nextTurn();
  }
}

/**
 * The age from which on an entry can be read in order, in milliseconds. Before, one with an earlier id may still be on its way: its batch is not
 * committed, or the clock of its node is behind.
 */
const SETTLED_MS = 60_000;

/**
 * Reads entries with ids after `after`, the oldest first, at most `limit`, in pages that are read one after the other. Entries of the last
 * minute come later, so that a client that goes on after the last id misses none.
 */
export async function* auditEntriesAfter(
  after: string,
  limit: number,
  { db, clock }: Pick<Env, "db" | "clock">,
): AsyncGenerator<AuditRow[]> {
  const end = idAt(clock() - SETTLED_MS);
  let from = after;
  for (let left = limit; left > 0; ) {
    const size = Math.min(left, SLICE);
    const rows = await db.all<AuditRow>`
      select id, at, actor_id, actor_email, act, canvas_id, target, address, details, via from audit
      where id > ${from} and id < ${end} order by id limit ${size}`;
    if (rows.length > 0) yield rows;
    if (rows.length < size) return;
    from = rows.at(-1)?.id ?? from;
    left -= rows.length;
    await nextTurn();
  }
}

/** Returns the titles that the canvases of entries have now, by id. A canvas that is deleted for good has none. */
export async function canvasTitles(
  entries: readonly AuditRow[],
  { db }: Pick<Env, "db">,
): Promise<Map<string | null, string>> {
  const ids = asKeys(entries.flatMap(({ canvas_id }) => canvas_id ?? []));
  const rows = await db.all<{ id: string; title: string }>`
    select id, title from canvases where id in (select key from json_each(${ids}))`;
  return new Map(rows.map(({ id, title }) => [id, title]));
}
