import "./field.css";
import "./choices.css";
import type { ReactNode } from "react";
import { Label } from "react-aria-components/Label";
import { Radio, RadioGroup } from "react-aria-components/RadioGroup";

/** One of a few choices, each with what it means, all of them in view. */
export const Choices = <Value extends string>({
  label,
  choices,
  value,
  onChange,
}: {
  label: string;
  choices: readonly { value: Value; label: string; description: ReactNode; isDisabled?: boolean }[];
  value: Value;
  onChange: (value: Value) => void;
}) => (
  <RadioGroup className="choices" value={value} onChange={(to) => onChange(to as Value)}>
    <Label className="choices-label">{label}</Label>
    {choices.map(({ value, label, description, isDisabled = false }) => (
      <Radio key={value} value={value} isDisabled={isDisabled} className="choice">
        <span className="dot" aria-hidden />
        <span>
          <strong>{label}</strong>
          <span className="description">{description}</span>
        </span>
      </Radio>
    ))}
  </RadioGroup>
);
