import { useQueries } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Button } from "../../../kit/Button.tsx";
import { Dialog } from "../../../kit/Dialog.tsx";
import { TextField } from "../../../kit/Field.tsx";
import { NativeSelect } from "../../../kit/NativeSelect.tsx";
import { nameQuery } from "../Person.tsx";
import { AUTHOR, type FoundColumn, isScalarKind, labelOf } from "./columns.ts";
import { COMPARISONS, type Comparison, type Condition, type Scalar } from "./conditions.ts";

const KINDS = [
  { value: "text", label: "Text" },
  { value: "number", label: "Number" },
  { value: "true", label: "Yes (true)" },
  { value: "false", label: "No (false)" },
  { value: "null", label: "Nothing (null)" },
] as const;

type ValueKind = (typeof KINDS)[number]["value"];

const comparisonsFor = (kind: ValueKind, isAuthor: boolean): Comparison[] =>
  isAuthor || kind === "true" || kind === "false" || kind === "null"
    ? ["eq"]
    : kind === "number"
      ? ["eq", "gt", "gte", "lt", "lte"]
      : ["eq", "startsWith", "gt", "gte", "lt", "lte"];

/** Asks for a condition. The kind of the value is that which most records have in the field. */
export function AddFilter({
  canvas,
  found,
  authors,
  onClose,
  onAdd,
}: {
  canvas: string;
  found: readonly FoundColumn[];
  authors: readonly string[];
  onClose: () => void;
  onAdd: (condition: Condition) => void;
}) {
  const [column, setColumn] = useState<string | null>(null);
  const [kind, setKind] = useState<ValueKind | null>(null);
  const [comparison, setComparison] = useState<Comparison>("eq");
  const [text, setText] = useState("");
  const [author, setAuthor] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const at = column ?? found[0]?.id ?? AUTHOR;
  const isAuthor = at === AUTHOR;
  const usual = found.find(({ id }) => id === at)?.kinds.find(isScalarKind) ?? "text";
  const of = kind ?? (usual === "boolean" ? "true" : (usual as ValueKind));
  const comparisons = comparisonsFor(of, isAuthor);
  const by = comparisons.includes(comparison) ? comparison : "eq";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (of === "number" && !isAuthor && (text.trim() === "" || !Number.isFinite(Number(text))))
      return setFault("Write a number, such as 12 or -0.5.");
    if (new TextEncoder().encode(text).length >= 256)
      return setFault("The service compares at most 255 bytes.");
    const values: Record<ValueKind, Scalar> = {
      text,
      number: Number(text),
      true: true,
      false: false,
      null: null,
    };
    onAdd({ column: at, comparison: by, value: isAuthor ? (author ?? authors[0] ?? "") : values[of] });
    onClose();
  };
  return (
    <Dialog title="Filter" isOpen onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <NativeSelect
          label="Field"
          choices={[
            ...found.map(({ id }) => ({ value: id, label: labelOf(id) })),
            { value: AUTHOR, label: "Author" },
          ]}
          value={at}
          onChange={(to) => {
            setColumn(to);
            setKind(null);
            setFault(null);
          }}
        />
        {isAuthor ? (
          <AuthorSelect
            canvas={canvas}
            authors={authors}
            value={author ?? authors[0] ?? ""}
            onChange={setAuthor}
          />
        ) : (
          <>
            <NativeSelect
              label="Comparison"
              choices={comparisons.map((each) => ({ value: each, label: COMPARISONS[each] }))}
              value={by}
              onChange={setComparison}
            />
            <NativeSelect label="Kind of value" choices={KINDS} value={of} onChange={setKind} />
            {of === "text" || of === "number" ? (
              <TextField
                label="Value"
                value={text}
                onChange={setText}
                error={fault}
                inputMode={of === "number" ? "decimal" : "text"}
                description={
                  of === "number"
                    ? "Only numbers are compared with a number, only texts with a text."
                    : undefined
                }
              />
            ) : null}
          </>
        )}
        <div className="dialog-acts">
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" type="submit">
            Filter
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Chooses one of the authors of the records that have been read. */
const AuthorSelect = ({
  canvas,
  authors,
  value,
  onChange,
}: {
  canvas: string;
  authors: readonly string[];
  value: string;
  onChange: (id: string) => void;
}) => {
  const names = useQueries({ queries: authors.map((id) => nameQuery(canvas, id)) }).map(({ data }) => data);
  return (
    <NativeSelect
      label="Author"
      choices={authors.map((id, index) => ({ value: id, label: names[index] ?? "Somebody" }))}
      value={value}
      onChange={onChange}
    />
  );
};
