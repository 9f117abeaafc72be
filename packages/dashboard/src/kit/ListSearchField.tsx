import "./list-tools.css";
import { useEffect, useRef, useState } from "react";
import { SearchField } from "./SearchField.tsx";

/** The time without a key after which the list is searched. */
const PAUSE_MS = 150;

/** Searches a list whose address keeps `text`. `onChange` is called when nothing was typed for a moment; undefined is an empty text. */
export function ListSearchField({
  label,
  text,
  onChange,
}: {
  label: string;
  text: string;
  onChange: (q: string | undefined) => void;
}) {
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
  return <SearchField label={label} value={typed} onChange={setTyped} maxLength={200} />;
}
