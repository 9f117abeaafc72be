import { Plus, X } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { Button } from "../../../kit/Button.tsx";
import { Copy } from "../../../kit/Copy.tsx";
import { NativeSelect } from "../../../kit/NativeSelect.tsx";
import { Person } from "../Person.tsx";
import { AUTHOR, type FoundColumn, fieldOf, isScalarKind, labelOf } from "./columns.ts";
import { COMPARISONS, type Condition, codeOf, MAX_CONDITIONS, NEWEST, withCondition } from "./conditions.ts";
import type { RecordRow } from "./records.ts";

const AddFilter = lazy(async () => ({ default: (await import("./AddFilter.tsx")).AddFilter }));

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
        <NativeSelect
          label="Order"
          hideLabel
          choices={ordersOf(found, order)}
          value={order}
          onChange={onOrder}
        />
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
      {isAdding ? (
        <Suspense>
          <AddFilter
            canvas={canvas}
            found={scalarsOf(found)}
            authors={[...new Set(rows.map(({ authorId }) => authorId))]}
            onClose={() => setAdding(false)}
            onAdd={(condition) => onConditions(withCondition(conditions, condition))}
          />
        </Suspense>
      ) : null}
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
