import { Plus, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Button } from "../../../kit/Button.tsx";
import { Copy } from "../../../kit/Copy.tsx";
import { Dialog } from "../../../kit/Dialog.tsx";
import { TextField } from "../../../kit/Field.tsx";
import { Select } from "../../../kit/Select.tsx";
import { Person, useNames } from "../Person.tsx";
import { AUTHOR, type FoundColumn, fieldOf, type Kind, labelOf } from "./columns.ts";
import {
  COMPARISONS,
  type Comparison,
  type Condition,
  codeOf,
  MAX_CONDITIONS,
  NEWEST,
  type Scalar,
  withCondition,
} from "./conditions.ts";
import type { RecordRow } from "./records.ts";

const isScalarKind = (kind: Kind) => kind !== "list" && kind !== "object";

/** Returns the columns that the service can filter by and order by. */
const scalarsOf = (found: readonly FoundColumn[]) =>
  found.filter(({ id, kinds }) => fieldOf(id) !== null && kinds.some(isScalarKind));

/** The filter as chips and as code, and the order of the list. */
export function FilterBar({
  canvas,
  name,
  found,
  rows,
  conditions,
  order,
  onConditions,
  onOrder,
}: {
  canvas: string;
  name: string;
  found: readonly FoundColumn[];
  rows: readonly RecordRow[];
  conditions: readonly Condition[];
  order: string;
  onConditions: (conditions: Condition[]) => void;
  onOrder: (order: string) => void;
}) {
  const [isAdding, setAdding] = useState(false);
  const isFull = conditions.length >= MAX_CONDITIONS;
  const field = fieldOf(order.replace(/^-/, ""));
  return (
    <div className="filter-bar">
      <div className="row">
        {conditions.map((condition) => (
          <Chip
            key={`${condition.column} ${condition.comparison}`}
            canvas={canvas}
            condition={condition}
            onRemove={() => onConditions(conditions.filter((each) => each !== condition))}
          />
        ))}
        <Button icon={<Plus aria-hidden />} isDisabled={isFull} onPress={() => setAdding(true)}>
          Filter
        </Button>
        {isFull ? <span className="small soft">The service takes three conditions.</span> : null}
        <Select label="Order" hideLabel choices={ordersOf(found, order)} value={order} onChange={onOrder} />
      </div>
      {conditions.length === 0 && order === NEWEST ? null : (
        <p className="filter-code">
          <code>{codeOf(name, conditions, order)}</code>
          <Copy text={codeOf(name, conditions, order)} what="code" />
        </p>
      )}
      {field === null ? null : (
        <p className="small soft">
          In this order, records whose <bdi>{field}</bdi> is missing, a list or an object are left out.
        </p>
      )}
      <AddFilter
        canvas={canvas}
        isOpen={isAdding}
        found={scalarsOf(found)}
        authors={[...new Set(rows.map(({ authorId }) => authorId))]}
        onClose={() => setAdding(false)}
        onAdd={(condition) => onConditions(withCondition(conditions, condition))}
      />
    </div>
  );
}

function ordersOf(found: readonly FoundColumn[], order: string): { value: string; label: string }[] {
  const fields = scalarsOf(found).map(({ id }) => id);
  const of = order.replace(/^-/, "");
  if (fieldOf(of) !== null && !fields.includes(of)) fields.push(of);
  return [
    { value: NEWEST, label: "Newest first" },
    { value: "createdAt", label: "Oldest first" },
    { value: "-updatedAt", label: "Last changed first" },
    { value: "updatedAt", label: "Last changed last" },
    ...fields.flatMap((id) => [
      { value: id, label: `${labelOf(id)}, ascending` },
      { value: `-${id}`, label: `${labelOf(id)}, descending` },
    ]),
  ];
}

/** A condition in words, which a button takes away. */
function Chip({
  canvas,
  condition: { column, comparison, value },
  onRemove,
}: {
  canvas: string;
  condition: Condition;
  onRemove: () => void;
}) {
  const text = typeof value === "string" ? `"${value}"` : String(value);
  return (
    <span className="chip">
      <bdi>{labelOf(column)}</bdi> {COMPARISONS[comparison]}{" "}
      {column === AUTHOR && typeof value === "string" ? (
        <Person canvas={canvas} id={value} />
      ) : (
        <bdi>{text}</bdi>
      )}
      <Button
        look="quiet"
        icon={<X aria-hidden />}
        aria-label={`Remove the filter ${labelOf(column)}`}
        onPress={onRemove}
      />
    </span>
  );
}

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
function AddFilter({
  canvas,
  isOpen,
  found,
  authors,
  onClose,
  onAdd,
}: {
  canvas: string;
  isOpen: boolean;
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
  const close = () => {
    setText("");
    setFault(null);
    onClose();
  };
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
    close();
  };
  return (
    <Dialog title="Filter" isOpen={isOpen} onClose={close}>
      <form className="stack" onSubmit={submit}>
        <Select
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
            <Select
              label="Comparison"
              choices={comparisons.map((each) => ({ value: each, label: COMPARISONS[each] }))}
              value={by}
              onChange={setComparison}
            />
            <Select label="Kind of value" choices={KINDS} value={of} onChange={setKind} />
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
          <Button onPress={close}>Cancel</Button>
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
  const names = useNames(canvas, authors);
  return (
    <Select
      label="Author"
      choices={authors.map((id, index) => ({ value: id, label: names[index] ?? "Somebody" }))}
      value={value}
      onChange={onChange}
    />
  );
};
