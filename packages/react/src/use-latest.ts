import { type RefObject, useEffect, useRef } from "react";

/** Returns an object whose `current` is the value of the latest rendering. A function that is called later can read it there. */
export function useLatest<Value>(value: Value): RefObject<Value> {
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  });
  return latest;
}
