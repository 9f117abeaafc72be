import { ArrowDown, ArrowUp, Columns3 } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../kit/Button.tsx";
import { Dialog } from "../../../kit/Dialog.tsx";
import { Toggle } from "../../../kit/Toggle.tsx";
import { AUTHOR, type FoundColumn, labelOf, shownAtFirst, UPDATED } from "./columns.ts";

/** The kinds of values in words. */
const KINDS = {
  text: "text",
  number: "number",
  boolean: "yes or no",
  null: "nothing",
  list: "list",
  object: "object",
} as const;

/** Chooses which columns are shown, and in which order. */
export function ColumnsMenu({
  found,
  shown,
  onChange,
}: {
  found: readonly FoundColumn[];
  shown: readonly string[];
  onChange: (shown: string[]) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const others = [...found.map(({ id }) => id), AUTHOR, UPDATED].filter((id) => !shown.includes(id));
  const move = (id: string, by: 1 | -1) => {
    const at = shown.indexOf(id);
    onChange(shown.toSpliced(at, 1).toSpliced(at + by, 0, id));
  };
  const kindsOf = (id: string) => {
    const kinds = found.find((each) => each.id === id)?.kinds ?? [];
    return kinds.map((kind) => KINDS[kind]).join(" or ");
  };
  return (
    <>
      <Button look="quiet" icon={<Columns3 aria-hidden />} onPress={() => setOpen(true)}>
        Columns
      </Button>
      <Dialog title="Columns" isOpen={isOpen} onClose={() => setOpen(false)}>
        <ul className="columns-choice">
          {shown.map((id, index) => (
            <li key={id}>
              <Toggle
                isSelected
                isDisabled={shown.length === 1}
                onChange={() => onChange(shown.filter((each) => each !== id))}
                description={kindsOf(id)}
              >
                <bdi>{labelOf(id)}</bdi>
              </Toggle>
              <Button
                look="quiet"
                icon={<ArrowUp aria-hidden />}
                aria-label={`Move ${labelOf(id)} before`}
                isDisabled={index === 0}
                onPress={() => move(id, -1)}
              />
              <Button
                look="quiet"
                icon={<ArrowDown aria-hidden />}
                aria-label={`Move ${labelOf(id)} after`}
                isDisabled={index === shown.length - 1}
                onPress={() => move(id, 1)}
              />
            </li>
          ))}
          {others.map((id) => (
            <li key={id}>
              <Toggle isSelected={false} onChange={() => onChange([...shown, id])} description={kindsOf(id)}>
                <bdi>{labelOf(id)}</bdi>
              </Toggle>
            </li>
          ))}
        </ul>
        <div className="dialog-acts">
          <Button onPress={() => onChange(shownAtFirst(found))}>As at first</Button>
          <Button look="primary" onPress={() => setOpen(false)}>
            Done
          </Button>
        </div>
      </Dialog>
    </>
  );
}
