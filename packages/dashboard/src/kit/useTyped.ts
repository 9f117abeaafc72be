import { useEffect, useRef, useState } from "react";

/** The time in milliseconds without a key after which a text is sent. */
const PAUSE_MS = 150;

/**
 * A text that is typed into a field and kept somewhere else, such as in the address. `onChange` is called when nothing was typed for a moment;
 * undefined is an empty text. Returns what the field shows, and what to call with each change of it.
 */
export function useTyped(
  text: string,
  onChange: (text: string | undefined) => void,
): [typed: string, setTyped: (text: string) => void] {
  const [typed, setTyped] = useState(text);
  const sent = useRef(text);
  const change = useRef(onChange);
  change.current = onChange;
  // The address was changed by something else, such as Back.
  useEffect(() => {
    if (text === sent.current) return;
    sent.current = text;
    setTyped(text);
  }, [text]);
  useEffect(() => {
    if (typed === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = typed;
      change.current(typed === "" ? undefined : typed);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return [typed, setTyped];
}
