import "./list-tools.css";
import { SearchField } from "./SearchField.tsx";
import { useTyped } from "./useTyped.ts";

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
  const [typed, setTyped] = useTyped(text, onChange);
  return <SearchField label={label} value={typed} onChange={setTyped} maxLength={200} />;
}
