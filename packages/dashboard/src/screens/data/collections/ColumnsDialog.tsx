import { ArrowDown, ArrowUp } from "lucide-react";
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
export function ColumnsDialog({
  found,
  shown,
  onChange,
  onClose,
}: {
  found: readonly FoundColumn[];
  shown: readonly string[];
  onChange: (shown: string[]) => void;
  onClose: () => void;
}) {
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
    <Dialog title="Columns" isOpen onClose={onClose}>
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
        <Button look="primary" onPress={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
