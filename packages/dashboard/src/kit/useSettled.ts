import { useEffect, useState } from "react";

/** The time in milliseconds for which nothing was typed before a search is sent. */
const SETTLE_MS = 150;

/** Returns a value after it has stayed the same for a moment, and until then the one before. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
