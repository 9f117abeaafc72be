import "./field.css";
import "./native-select.css";
import { type ReactNode, useId } from "react";

/**
 * One of some choices, by the list of the browser itself: for forms with many of them, and where nothing has to be said about a choice. With
 * `hideLabel`, the label is for screen readers only.
 */
export function NativeSelect<Value extends string>({
  label,
  hideLabel = false,
  choices,
  value,
  onChange,
  description,
}: {
  label: string;
  hideLabel?: boolean;
  choices: readonly { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
  description?: ReactNode;
}) {
  const id = useId();
  return (
    <div className="field">
      {hideLabel ? null : <label htmlFor={id}>{label}</label>}
      <span className="native-select">
        <select
          id={id}
          aria-label={hideLabel ? label : undefined}
          aria-describedby={description === undefined ? undefined : `${id}-about`}
          value={value}
          onChange={({ target }) => onChange(target.value as Value)}
        >
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </span>
      {description === undefined ? null : (
        <span id={`${id}-about`} className="description">
          {description}
        </span>
      )}
    </div>
  );
}
