import "./field.css";
import "./menu.css";
import "./select.css";
import { Check, ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import { Label } from "react-aria-components/Label";
import { ListBox, ListBoxItem } from "react-aria-components/ListBox";
import { Popover } from "react-aria-components/Popover";
import { Select as AriaSelect, SelectValue } from "react-aria-components/Select";
import { Text } from "react-aria-components/Text";

export interface Choice<Value extends string> {
  value: Value;
  label: string;
  /** What the choice means, below its label. */
  description?: ReactNode;
  isDisabled?: boolean;
}

/** One of a few choices. With `hideLabel`, the label is for screen readers only, as in the rows of a table. */
export function Select<Value extends string>({
  label,
  hideLabel = false,
  choices,
  value,
  onChange,
  isDisabled = false,
}: {
  label: string;
  hideLabel?: boolean;
  choices: readonly Choice<Value>[];
  value: Value;
  onChange: (value: Value) => void;
  isDisabled?: boolean;
}) {
  return (
    <AriaSelect
      className="field select"
      aria-label={hideLabel ? label : undefined}
      selectedKey={value}
      onSelectionChange={(key) => key !== null && onChange(key as Value)}
      isDisabled={isDisabled}
    >
      {hideLabel ? null : <Label>{label}</Label>}
      <Button className="select-button">
        <SelectValue>{({ selectedText }) => selectedText}</SelectValue>
        <ChevronDown aria-hidden />
      </Button>
      <Popover className="popover">
        <ListBox className="menu" items={choices}>
          {({ value, label, description, isDisabled = false }) => (
            <ListBoxItem id={value} textValue={label} className="menu-item" isDisabled={isDisabled}>
              {({ isSelected }) => (
                <>
                  <Check aria-hidden className={isSelected ? "" : "absent"} />
                  <span>
                    <Text slot="label">{label}</Text>
                    {description === undefined ? null : (
                      <Text slot="description" className="description">
                        {description}
                      </Text>
                    )}
                  </span>
                </>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
