import "./filter.css";
import type { Choice } from "./Select.tsx";

/** Narrows a list to one of a few choices: a select of the browser, which is small. `label` is for screen readers. */
export const Filter = <Value extends string>({
  label,
  choices,
  value,
  onChange,
}: {
  label: string;
  choices: readonly Pick<Choice<Value>, "value" | "label">[];
  value: Value;
  onChange: (value: Value) => void;
}) => (
  <select
    className="filter"
    aria-label={label}
    value={value}
    onChange={({ target }) => onChange(target.value as Value)}
  >
    {choices.map(({ value, label }) => (
      <option key={value} value={value}>
        {label}
      </option>
    ))}
  </select>
);
