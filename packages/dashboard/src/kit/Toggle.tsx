import "./toggle.css";
import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { Checkbox, type CheckboxProps } from "react-aria-components/Checkbox";

/** A checkbox with its label, and what it means below. */
export const Toggle = ({
  description,
  children,
  ...props
}: Omit<CheckboxProps, "children" | "className"> & { description?: string; children: ReactNode }) => (
  <Checkbox {...props} className="toggle">
    <span className="box" aria-hidden>
      <Check />
    </span>
    <span>
      {children}
      {description === undefined ? null : <span className="description">{description}</span>}
    </span>
  </Checkbox>
);
