import "./field.css";
import "./checks.css";
import { CheckboxGroup } from "react-aria-components/CheckboxGroup";
import { FieldError } from "react-aria-components/FieldError";
import { Label } from "react-aria-components/Label";
import { Toggle } from "./Toggle.tsx";

/** Some of a few short choices, in a line. */
export const Checks = <Value extends string>({
  label,
  choices,
  value,
  onChange,
  error = null,
}: {
  label: string;
  choices: readonly Value[];
  value: readonly Value[];
  onChange: (value: Value[]) => void;
  error?: string | null;
}) => (
  <CheckboxGroup
    className="field"
    value={[...value]}
    onChange={(to) => onChange(choices.filter((each) => to.includes(each)))}
    validationBehavior="aria"
    isInvalid={error !== null}
  >
    <Label>{label}</Label>
    <div className="checks">
      {choices.map((each) => (
        <Toggle key={each} value={each}>
          {each}
        </Toggle>
      ))}
    </div>
    <FieldError className="field-error">{error}</FieldError>
  </CheckboxGroup>
);
