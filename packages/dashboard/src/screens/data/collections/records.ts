import type { Json } from "@easel/protocol/types";
import type { Collection, CollectionRecord, RecordChange } from "@easel/sdk";
import type { GridRow } from "../../../kit/DataGrid.tsx";
import { cellText, MAX_CELL } from "./columns.ts";
import { type Condition, meets, whereOf } from "./conditions.ts";
import { isObject } from "./form.ts";

/** A record as a row. Of a large record it keeps what the cells show, so that 10,000 records fit into the memory of a browser. */
export interface RecordRow extends GridRow {
  authorId: string;
  updatedAt: number;
  value: Json;
  /** Whether `value` is the whole value. */
  isWhole: boolean;
}

export interface RecordsState {
  rows: readonly RecordRow[];
  hasMore: boolean;
  /** Whether the first page has been read, or refused. */
  isLoaded: boolean;
  isReading: boolean;
  error: Error | null;
  /** The number of new records that are not shown yet. */
  fresh: number;
  /** Why there are no changes by themselves: the list is read again every half minute. */
  watchError: Error | null;
}

/** What the list reads of a collection. */
export type Source = Pick<Collection, "get" | "list" | "watch">;

type ChangeListener = (id: string, record: CollectionRecord | null, isOwn: boolean) => void;

export interface RecordList {
  getState(): RecordsState;
  subscribe(listener: () => void): () => void;
  /** Reads and watches. Returns a function that stops. */
  start(): () => void;
  /** Reads the next page. */
  more(): void;
  /** Reads all pages. Resolves with the id of the last record, or null if there is none or it cannot be read. */
  readAll(): Promise<string | null>;
  /** Reads the list again with the new records. */
  showFresh(): Promise<void>;
  /** Reads again what is shown. */
  refresh(): Promise<void>;
  /** Shows a record that this page has created. */
  put(record: CollectionRecord): void;
  /** Changes a record by `send` and shows it as it is then. The news of this change, which may come first, is not one of somebody else. */
  write(id: string, send: () => Promise<CollectionRecord>): Promise<CollectionRecord>;
  /** Hides rows: those that are deleted unless the person undoes it. */
  setHidden(ids: ReadonlySet<string>): void;
  /** Listens to changes of records. Null: it was deleted. `isOwn`: this page has changed it. */
  onChange(listener: ChangeListener): () => void;
}

export const PAGE = 200;
const LARGE_PAGE = 1_000;
/** The number of characters of a value as JSON up to which a row keeps it. */
const MAX_KEPT = 4_096;
/** The time within which changes without their records are read together, and how many of them at a time. */
const GATHER_MS = 300;
const GATHER_MANY_MS = 5_000;
const GATHERED = 5;
/** The time for which the first read waits for the watch to begin. A read before it would have to be repeated. */
const WATCH_MS = 400;

/** Returns a record as a row. */
export function rowOf({ id, authorId, updatedAt, value }: CollectionRecord, mark?: number): RecordRow {
  const isWhole = JSON.stringify(value).length <= MAX_KEPT;
  return {
    id,
    authorId,
    updatedAt,
    value: isWhole ? value : previewOf(value),
    isWhole,
    ...(mark && { mark }),
  };
}

/** Returns what cells show of a value. */
function previewOf(value: Json): Json {
  if (!isObject(value)) return cellText(value);
  const cut = (each: Json): Json =>
    typeof each === "string" || (typeof each === "object" && each !== null) ? cellText(each) : each;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_CELL)
      .map(([name, each]) => [name, cut(each)]),
  );
}

/**
 * Creates the list of the records of a collection that meet conditions, in an order. It is read page by page and stays as it is while others
 * write: a record that is shown changes in its place, and new ones are counted until they are asked for.
 */
export function createRecordList(
  source: Source,
  conditions: readonly Condition[],
  order: string,
  onAuthors: (ids: ReadonlySet<string>) => void = () => {},
): RecordList {
  const listeners = new Set<() => void>();
  const changeListeners = new Set<ChangeListener>();
  /** The records that this page is writing. */
  const writing = new Set<string>();
  let state: RecordsState = {
    rows: [],
    hasMore: false,
    isLoaded: false,
    isReading: false,
    error: null,
    fresh: 0,
    watchError: null,
  };
  let all: RecordRow[] = [];
  let cursor: string | null = null;
  let hidden: ReadonlySet<string> = new Set();
  const fresh = new Set<string>();
  /** What has changed while a read was under way, whose result may be older. Null: it was deleted. */
  let during = new Map<string, CollectionRecord | null>();
  let reading: Promise<void> | null = null;
  let isAgain = false;
  let marks = 0;
  let newest = "";
  const unread = new Set<string>();
  let unreadTimer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = true;

  const set = (change: Partial<RecordsState> = {}) => {
    const rows = hidden.size === 0 ? all : all.filter(({ id }) => !hidden.has(id));
    const isSame = rows.length === state.rows.length && rows.every((row, index) => row === state.rows[index]);
    state = {
      ...state,
      rows: isSame ? state.rows : rows,
      hasMore: cursor !== null,
      fresh: fresh.size,
      isReading: reading !== null,
      ...change,
    };
    for (const listener of listeners) listener();
  };

  const page = async (after: string | null, limit: number) => {
    const where = whereOf(conditions);
    const { entries, nextCursor } = await source.list({
      ...(where && { where }),
      orderBy: order,
      cursor: after,
      limit,
    });
    onAuthors(new Set(entries.map(({ authorId }) => authorId)));
    return { entries, nextCursor };
  };

  /** Returns rows of records that were read: as they have been changed meanwhile, and the row as it is if nothing has changed. */
  const rowsOf = (entries: readonly CollectionRecord[], marks?: number): RecordRow[] => {
    const known = new Map(all.map((row) => [row.id, row]));
    return entries.flatMap((entry) => {
      const changed = during.get(entry.id);
      if (changed === null) return [];
      const record = changed && changed.updatedAt > entry.updatedAt ? changed : entry;
      if (record.id > newest) newest = record.id;
      const row = known.get(record.id);
      if (row !== undefined && row.updatedAt >= record.updatedAt) return row;
      return rowOf(record, row === undefined ? undefined : marks);
    });
  };

  /** Performs reads one after the other. A failure is shown, and what was read before stays. */
  const read = (run: () => Promise<void>): Promise<void> => {
    const before = reading ?? Promise.resolve();
    const mine = before.then(async () => {
      if (isStopped) return;
      during = new Map();
      try {
        await run();
        state = { ...state, error: null };
      } catch (error) {
        state = { ...state, error: error as Error };
      }
      if (reading === mine) reading = null;
      set({ isLoaded: true });
    });
    reading = mine;
    set();
    return mine;
  };

  const append = async (limit: number) => {
    const { entries, nextCursor } = await page(cursor, limit);
    const known = new Set(all.map(({ id }) => id));
    all = [...all, ...rowsOf(entries).filter(({ id }) => !known.has(id))];
    cursor = nextCursor;
    for (const { id } of entries) fresh.delete(id);
  };

  /** Reads again as many records as are shown. Without `withFresh`, new ones are counted and not shown. */
  const reread = async (withFresh: boolean) => {
    const wasNewest = newest;
    const entries: CollectionRecord[] = [];
    const wanted = withFresh ? PAGE : Math.max(all.length, PAGE);
    let next: string | null = null;
    do {
      const { entries: more, nextCursor } = await page(next, Math.min(wanted - entries.length, LARGE_PAGE));
      entries.push(...more);
      next = nextCursor;
    } while (next !== null && entries.length < wanted);
    const rows = rowsOf(entries, ++marks);
    const isNew = ({ id }: RecordRow) =>
      !withFresh && state.isLoaded && (fresh.has(id) || (wasNewest !== "" && id > wasNewest));
    const known = new Set(all.map(({ id }) => id));
    all = rows.filter((row) => known.has(row.id) || !isNew(row));
    for (const row of rows) if (!known.has(row.id) && isNew(row)) fresh.add(row.id);
    if (withFresh) fresh.clear();
    cursor = next;
  };

  const refresh = () => {
    // Several requests to read again while one waits are one.
    if (isAgain) return reading ?? Promise.resolve();
    isAgain = true;
    return read(() => {
      isAgain = false;
      return reread(false);
    });
  };

  const replace = (record: CollectionRecord) => {
    const index = all.findIndex(({ id }) => id === record.id);
    const row = all[index];
    if (row === undefined || row.updatedAt >= record.updatedAt) return;
    all = all.with(index, rowOf(record, writing.has(record.id) ? undefined : ++marks));
  };

  const tell = (id: string, record: CollectionRecord | null) => {
    if (reading !== null) during.set(id, record);
    for (const listener of changeListeners) listener(id, record, writing.has(id));
  };

  const readUnread = async () => {
    unreadTimer = undefined;
    const ids = [...unread].slice(0, GATHERED);
    for (const id of ids) unread.delete(id);
    if (unread.size > 0) unreadTimer = setTimeout(() => void readUnread(), GATHER_MANY_MS);
    for (const id of ids) {
      try {
        const record = await source.get(id);
        if (record === undefined) removed(id);
        else {
          tell(id, record);
          replace(record);
        }
      } catch (error) {
        state = { ...state, error: error as Error };
      }
    }
    set();
  };

  const removed = (id: string) => {
    fresh.delete(id);
    all = all.filter((row) => row.id !== id);
    tell(id, null);
  };

  const changed = (change: RecordChange) => {
    if (isStopped) return;
    if (change.op === "resync") {
      if (!("polled" in change)) state = { ...state, watchError: null };
      void refresh();
      return;
    }
    const { op, id, record } = change;
    const isKnown = all.some((row) => row.id === id);
    if (op === "delete") removed(id);
    else if (record !== undefined) {
      tell(id, record);
      if (isKnown) replace(record);
      else if (isAhead(id) && meets(record, conditions)) fresh.add(id);
    } else if (isKnown) {
      unread.add(id);
      unreadTimer ??= setTimeout(() => void readUnread(), GATHER_MS);
    } else if (isAhead(id) && conditions.length === 0) fresh.add(id);
    set();
  };

  /** Whether a record that is not known is a new one. One that is old, or comes later in the list, is shown when the list comes to it. */
  const isAhead = (id: string) => id > newest && !(order === "createdAt" && cursor !== null);

  return {
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    start() {
      isStopped = false;
      const timer = setTimeout(() => void refresh(), WATCH_MS);
      const stop = source.watch(
        (change) => {
          clearTimeout(timer);
          changed(change);
        },
        (error) => set({ watchError: error }),
      );
      return () => {
        isStopped = true;
        clearTimeout(timer);
        clearTimeout(unreadTimer);
        unreadTimer = undefined;
        stop();
      };
    },

    more() {
      if (cursor === null || reading !== null) return;
      void read(async () => {
        if (cursor !== null) await append(PAGE);
      });
    },

    async readAll() {
      await read(async () => {
        while (cursor !== null && !isStopped) {
          await append(LARGE_PAGE);
        }
      });
      return state.error === null ? (state.rows.at(-1)?.id ?? null) : null;
    },

    showFresh: () => read(() => reread(true)),
    refresh,

    put(record) {
      fresh.delete(record.id);
      tell(record.id, record);
      if (all.some(({ id }) => id === record.id)) replace(record);
      else {
        const row = rowOf(record);
        all = order === "createdAt" ? (cursor === null ? [...all, row] : all) : [row, ...all];
        if (record.id > newest) newest = record.id;
      }
      set();
    },

    async write(id, send) {
      writing.add(id);
      try {
        const record = await send();
        tell(id, record);
        replace(record);
        set();
        return record;
      } finally {
        writing.delete(id);
      }
    },

    setHidden(ids) {
      hidden = ids;
      set();
    },

    onChange(listener) {
      changeListeners.add(listener);
      return () => changeListeners.delete(listener);
    },
  };
}
