import { type RefObject, useEffect, useRef } from "react";

/** Returns a reference to the value of the latest rendering, for functions that are called later. */
export function useLatest<Value>(value: Value): RefObject<Value> {
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  });
  return latest;
}
