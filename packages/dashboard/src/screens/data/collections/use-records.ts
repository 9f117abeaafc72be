import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { refusalOf } from "../../../api/api-error.ts";
import { canvasKey, canvasQuery, dataQuery, queries } from "../../../api/queries.ts";
import { runtimeOf } from "../../../api/runtime.ts";
import { useSignedOut } from "../../../api/session.ts";
import { hiddenIds, onHidden } from "../deletions.ts";
import { type Condition, conditionsOf } from "./conditions.ts";
import { createRecordList, type RecordList, type RecordsState, type Source } from "./records.ts";

/** Reads again what somebody may have changed when the service asks to read all records again: the policy and the rights. */
function policyMayHaveChanged(canvas: string, name: string): void {
  void queries.invalidateQueries({ queryKey: canvasKey(canvas, "rights", name) });
  void queries.invalidateQueries({ queryKey: canvasQuery(canvas).queryKey, exact: true });
  void queries.invalidateQueries({ queryKey: dataQuery(canvas).queryKey });
}

/** Returns how often the person has signed in again. */
function useSessions(): number {
  const isOut = useSignedOut();
  const [{ count, wasOut }, set] = useState({ count: 0, wasOut: isOut });
  if (isOut !== wasOut) set({ count: isOut ? count : count + 1, wasOut: isOut });
  return count;
}

/**
 * Returns the list of the records that meet conditions, and its state. While another filter or order is read, the state is that of the one
 * before. `where` is the filter of the address.
 */
export function useRecords(
  canvas: string,
  name: string,
  where: object | undefined,
  order: string,
): { list: RecordList; state: RecordsState; conditions: Condition[]; isStale: boolean } {
  const text = JSON.stringify(where ?? {});
  const conditions = useMemo(() => conditionsOf(JSON.parse(text)), [text]);
  const session = useSessions();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end of a session ends the watch, so each has a list of its own
  const list = useMemo(() => {
    const { kv, people } = runtimeOf(canvas);
    const collection = kv.collection(name);
    let isFirst = true;
    const source: Source = {
      ...collection,
      watch: (handler, onError) =>
        collection.watch((change) => {
          if (change.op === "resync" && !("polled" in change)) {
            if (!isFirst) policyMayHaveChanged(canvas, name);
            isFirst = false;
          }
          handler(change);
        }, onError),
    };
    // The names of the authors of a page are one request, which the cells then find answered.
    return createRecordList(source, conditions, order, (ids) => void people(ids).catch(() => {}));
  }, [canvas, name, conditions, order, session]);
  useEffect(() => list.start(), [list]);
  useEffect(() => {
    const hide = () => list.setHidden(hiddenIds());
    hide();
    return onHidden(hide);
  }, [list]);
  const state = useSyncExternalStore(list.subscribe, list.getState);
  const last = useRef(state);
  const isStale = !state.isLoaded && last.current.isLoaded;
  useEffect(() => {
    if (state.isLoaded) last.current = state;
  }, [state]);

  const error = state.error ?? state.watchError;
  const code = error === null ? null : (refusalOf(error)?.code ?? null);
  useEffect(() => {
    if (
      code === "COLLECTION_NOT_CONFIGURED" ||
      code === "PERMISSION_DENIED" ||
      code === "CAPABILITY_DISABLED"
    )
      policyMayHaveChanged(canvas, name);
  }, [code, canvas, name]);

  return { list, state: isStale ? last.current : state, conditions, isStale };
}
