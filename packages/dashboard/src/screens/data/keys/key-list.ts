import type { Json } from "@easel/protocol/types";
import type { KvChange, KvScope } from "@easel/sdk";
import type { GridRow } from "../../../kit/DataGrid.tsx";

/** A key as a row: what a cell shows of its value, however large that is. */
export interface KeyRow extends GridRow {
  /** The first line of the value, at most 200 characters: a text without its quotes, all else as JSON. */
  line: string;
  /** The size of the value as JSON, in bytes. */
  bytes: number;
}

export interface KeysState {
  rows: readonly KeyRow[];
  hasMore: boolean;
  /** Whether the first page has been read, or refused. */
  isLoaded: boolean;
  isReading: boolean;
  error: Error | null;
  /** Why changes do not come by themselves. */
  watchError: Error | null;
}

/** What the list reads of a scope. */
export type Source = Pick<KvScope, "get" | "list" | "watch">;

export interface KeyList {
  getState(): KeysState;
  subscribe(listener: () => void): () => void;
  /** Reads and watches. Returns a function that stops. */
  start(): () => void;
  /** Reads the next page. */
  more(): void;
  /** Reads all pages. Resolves with the last key, or null if there is none or it cannot be read. */
  readAll(): Promise<string | null>;
  /** Reads again as many keys as are shown. */
  refresh(): Promise<void>;
  /** Shows what this page has written. */
  put(key: string, value: Json): void;
  /** Listens to changes. Undefined: the key was deleted. */
  onChange(listener: (key: string, value: Json | undefined) => void): () => void;
}

export const PAGE = 200;
const LARGE_PAGE = 1_000;
const MAX_LINE = 200;
/** The time for which the first read waits for the watch to begin. A read before it would have to be repeated. */
const WATCH_MS = 400;

const encoder = new TextEncoder();

/** Returns the size of a value as JSON in bytes. */
export const bytesOfJson = (value: Json): number => encoder.encode(JSON.stringify(value)).length;

/** Returns a key as a row. */
export function rowOf(key: string, value: Json, mark?: number): KeyRow {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const end = text.search(/[\r\n]/);
  const first = end < 0 ? text : text.slice(0, end);
  const isCut = first.length > MAX_LINE || first.length < text.length;
  const line = `${first.slice(0, MAX_LINE)}${isCut ? "…" : ""}`;
  return { id: key, line, bytes: bytesOfJson(value), ...(mark && { mark }) };
}

/** Compares keys as the service sorts them: by code points, which is the order of their bytes in UTF-8. */
export function compareKeys(one: string, other: string): number {
  for (let at = 0; ; ) {
    const [a, b] = [one.codePointAt(at), other.codePointAt(at)];
    if (a === undefined || b === undefined) return one.length - other.length;
    if (a !== b) return a - b;
    at += a > 0xffff ? 2 : 1;
  }
}

/**
 * Creates the list of the keys of a scope that begin with a prefix, in their order. It is read page by page, and follows the changes of
 * others.
 */
export function createKeyList(source: Source, prefix: string): KeyList {
  const listeners = new Set<() => void>();
  const changeListeners = new Set<(key: string, value: Json | undefined) => void>();
  let state: KeysState = {
    rows: [],
    hasMore: false,
    isLoaded: false,
    isReading: false,
    error: null,
    watchError: null,
  };
  let all: KeyRow[] = [];
  let cursor: string | null = null;
  /** What has changed while a read was under way, whose result may be older. */
  let during = new Map<string, KeyRow | null>();
  let reading: Promise<void> | null = null;
  let isAgain = false;
  let marks = 0;
  let isStopped = true;

  const set = (change: Partial<KeysState> = {}) => {
    state = { ...state, rows: all, hasMore: cursor !== null, isReading: reading !== null, ...change };
    for (const listener of listeners) listener();
  };

  /** Performs reads one after the other. A failure is shown, and what was read before stays. */
  const read = (run: () => Promise<void>): Promise<void> => {
    const before = reading ?? Promise.resolve();
    const mine = before.then(async () => {
      if (isStopped) return;
      during = new Map();
      let error: Error | null = null;
      try {
        await run();
      } catch (failure) {
        error = failure as Error;
      }
      if (reading === mine) reading = null;
      set({ isLoaded: true, error });
    });
    reading = mine;
    set();
    return mine;
  };

  const page = async (after: string | null, limit: number) => {
    const { entries, nextCursor } = await source.list<Json>({ prefix, cursor: after, limit });
    const rows = entries.flatMap(
      ({ key, value }) => during.get(key) ?? (during.has(key) ? [] : rowOf(key, value)),
    );
    return { rows, nextCursor };
  };

  const append = async (limit: number) => {
    const { rows, nextCursor } = await page(cursor, limit);
    const last = all.at(-1)?.id;
    all = [...all, ...rows.filter(({ id }) => last === undefined || compareKeys(id, last) > 0)];
    cursor = nextCursor;
  };

  const reread = async () => {
    const wanted = Math.max(all.length, PAGE);
    const rows: KeyRow[] = [];
    let next: string | null = null;
    do {
      const { rows: more, nextCursor } = await page(next, Math.min(wanted - rows.length, LARGE_PAGE));
      rows.push(...more);
      next = nextCursor;
    } while (next !== null && rows.length < wanted);
    const known = new Map(all.map((row) => [row.id, row]));
    all = rows.map((row) => {
      const before = known.get(row.id);
      return before !== undefined && before.line === row.line && before.bytes === row.bytes ? before : row;
    });
    cursor = next;
  };

  const refresh = () => {
    // Several requests to read again while one waits are one.
    if (isAgain) return reading ?? Promise.resolve();
    isAgain = true;
    return read(() => {
      isAgain = false;
      return reread();
    });
  };

  const place = (key: string, row: KeyRow | null) => {
    if (reading !== null) during.set(key, row);
    const index = all.findIndex(({ id }) => compareKeys(id, key) >= 0);
    const isKnown = index >= 0 && all[index]?.id === key;
    if (row === null) {
      if (isKnown) all = all.toSpliced(index, 1);
    } else if (isKnown) all = all.with(index, row);
    else if (index >= 0) all = all.toSpliced(index, 0, row);
    else if (cursor === null) all = [...all, row];
  };

  const tell = (key: string, value: Json | undefined) => {
    for (const listener of changeListeners) listener(key, value);
  };

  const changed = async (change: KvChange | { op: "resync"; polled?: boolean }) => {
    if (isStopped) return;
    if (change.op === "resync") {
      if (!("polled" in change)) state = { ...state, watchError: null };
      void refresh();
      return;
    }
    const { op, key } = change;
    if (op === "delete") {
      place(key, null);
      tell(key, undefined);
      return set();
    }
    try {
      // A large value does not come with its change.
      const value = change.value ?? (await source.get<Json>(key));
      if (isStopped) return;
      place(key, value === undefined ? null : rowOf(key, value, ++marks));
      tell(key, value);
      set();
    } catch (error) {
      set({ error: error as Error });
    }
  };

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
        prefix,
        (change) => {
          clearTimeout(timer);
          void changed(change);
        },
        (error) => set({ watchError: error }),
      );
      return () => {
        isStopped = true;
        clearTimeout(timer);
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
        while (cursor !== null && !isStopped) await append(LARGE_PAGE);
      });
      return state.error === null ? (state.rows.at(-1)?.id ?? null) : null;
    },

    refresh,

    put(key, value) {
      if (key.startsWith(prefix)) place(key, rowOf(key, value));
      set();
    },

    onChange(listener) {
      changeListeners.add(listener);
      return () => changeListeners.delete(listener);
    },
  };
}
