import "./field.css";
import type { ReactNode } from "react";
import { FieldError } from "react-aria-components/FieldError";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { Text } from "react-aria-components/Text";
import { TextArea } from "react-aria-components/TextArea";
import { TextField as AriaTextField, type TextFieldProps } from "react-aria-components/TextField";

interface FieldParts {
  label: string;
  /** A sentence below the field. */
  description?: ReactNode;
  /** Why the value is refused, in the words of the service. Read by screen readers with the field. */
  error?: string | null | undefined;
}

/** A labelled text field. With `lines`, one of several lines. */
export const TextField = ({
  label,
  description,
  error = null,
  placeholder,
  lines,
  ...props
}: FieldParts &
  Omit<TextFieldProps, "className" | "children"> & { placeholder?: string; lines?: number }) => (
  // An error of the service does not keep the form from being sent again.
  <AriaTextField validationBehavior="aria" {...props} className="field" isInvalid={error !== null}>
    <Label>{label}</Label>
    {lines === undefined ? (
      <Input className="input" placeholder={placeholder} />
    ) : (
      <TextArea className="input" rows={lines} placeholder={placeholder} />
    )}
    {description === undefined ? null : (
      <Text slot="description" className="description">
        {description}
      </Text>
    )}
    <FieldError className="field-error">{error}</FieldError>
  </AriaTextField>
);
