import "../../kit/field.css";
import "../../kit/menu.css";
import { ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import { ComboBox as AriaComboBox } from "react-aria-components/ComboBox";
import { FieldError } from "react-aria-components/FieldError";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { ListBox, ListBoxItem } from "react-aria-components/ListBox";
import { Popover } from "react-aria-components/Popover";
import { Text } from "react-aria-components/Text";

/** A text field that proposes values. Others may be typed, too. */
export const OwnerField = ({
  label,
  description,
  error = null,
  proposals,
  value,
  onChange,
}: {
  label: string;
  description?: ReactNode;
  error?: string | null | undefined;
  proposals: readonly string[];
  value: string;
  onChange: (value: string) => void;
}) => (
  <AriaComboBox
    className="field combo-box"
    allowsCustomValue
    validationBehavior="aria"
    menuTrigger="focus"
    inputValue={value}
    onInputChange={onChange}
    defaultItems={proposals.map((id) => ({ id }))}
    isInvalid={error !== null}
  >
    <Label>{label}</Label>
    <div className="combo-box-line">
      <Input className="input" />
      <Button className="combo-box-button">
        <ChevronDown aria-hidden />
      </Button>
    </div>
    {description === undefined ? null : (
      <Text slot="description" className="description">
        {description}
      </Text>
    )}
    <FieldError className="field-error">{error}</FieldError>
    <Popover className="popover">
      <ListBox className="menu">
        {({ id }: { id: string }) => (
          <ListBoxItem id={id} textValue={id} className="menu-item">
            <bdi>{id}</bdi>
          </ListBoxItem>
        )}
      </ListBox>
    </Popover>
  </AriaComboBox>
);
