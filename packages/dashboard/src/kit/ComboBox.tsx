import "./field.css";
import "./menu.css";
import "./combo-box.css";
import type { ClipboardEvent, KeyboardEvent, ReactNode, Ref } from "react";
import { ComboBox as AriaComboBox } from "react-aria-components/ComboBox";
import { FieldError } from "react-aria-components/FieldError";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { ListBox, ListBoxItem } from "react-aria-components/ListBox";
import { Popover } from "react-aria-components/Popover";
import { Text } from "react-aria-components/Text";

/** A proposal for the text of a field. */
export interface Proposal {
  id: string;
  label: string;
  description?: string | undefined;
  icon?: ReactNode;
}

/**
 * A text field with proposals below it, which the caller filters. A proposal is taken by the arrow keys and Enter or by the pointer. Enter
 * without a chosen proposal takes the text as it is.
 */
export function ComboBox({
  label,
  description,
  error = null,
  placeholder,
  proposals,
  empty,
  text,
  onText,
  chosen = null,
  onChoose,
  onEnter,
  onPaste,
  opensOnFocus = false,
  inputRef,
}: {
  label: string;
  description?: ReactNode;
  error?: string | null;
  placeholder?: string;
  proposals: readonly Proposal[];
  /** What is said in the place of proposals where there are none. Without it, nothing is shown. */
  empty?: string | undefined;
  text: string;
  onText: (text: string) => void;
  /** The id of the proposal that the text stands for. */
  chosen?: string | null;
  onChoose: (id: string) => void;
  onEnter: () => void;
  onPaste?: (event: ClipboardEvent<HTMLInputElement>) => void;
  opensOnFocus?: boolean;
  inputRef?: Ref<HTMLInputElement>;
}) {
  const takeText = (event: KeyboardEvent<HTMLDivElement>) => {
    const { target, key } = event;
    if (key !== "Enter" || !(target instanceof HTMLInputElement)) return;
    if (event.nativeEvent.isComposing || target.getAttribute("aria-activedescendant")) return;
    event.preventDefault();
    event.stopPropagation();
    onEnter();
  };
  return (
    <div className="combo-box" onKeyDownCapture={takeText}>
      <AriaComboBox
        className="field"
        allowsCustomValue
        allowsEmptyCollection={empty !== undefined}
        menuTrigger={opensOnFocus ? "focus" : "input"}
        items={proposals}
        inputValue={text}
        onInputChange={onText}
        selectedKey={chosen}
        onSelectionChange={(key) => {
          if (key !== null && key !== chosen) onChoose(String(key));
        }}
        validationBehavior="aria"
        isInvalid={error !== null}
      >
        <Label>{label}</Label>
        <Input className="input" placeholder={placeholder} onPaste={onPaste} ref={inputRef ?? null} />
        {description === undefined ? null : (
          <Text slot="description" className="description">
            {description}
          </Text>
        )}
        <FieldError className="field-error">{error}</FieldError>
        <Popover className="popover">
          <ListBox<Proposal> className="menu" renderEmptyState={() => <p className="menu-empty">{empty}</p>}>
            {({ label, description, icon }) => (
              <ListBoxItem textValue={label} className="menu-item">
                {icon}
                <span>
                  <Text slot="label">
                    <bdi>{label}</bdi>
                  </Text>
                  {description === undefined ? null : (
                    <Text slot="description" className="description">
                      <bdi>{description}</bdi>
                    </Text>
                  )}
                </span>
              </ListBoxItem>
            )}
          </ListBox>
        </Popover>
      </AriaComboBox>
    </div>
  );
}
