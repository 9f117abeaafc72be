import "./button.css";
import { createLink } from "@tanstack/react-router";
import type { ComponentProps, ReactNode, Ref } from "react";
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components/Button";

/** `primary` is the one act that a screen leads to, `danger` one that takes something away, `quiet` one in a row or a bar. */
export type ButtonLook = "primary" | "plain" | "quiet" | "danger";

interface Look {
  look?: ButtonLook;
  /** An icon before the text, or instead of it if `aria-label` says what the button does. */
  icon?: ReactNode;
  children?: ReactNode;
}

const classOf = ({ look = "plain", icon, children }: Look) =>
  `button ${look}${icon !== undefined && children === undefined ? " icon-only" : ""}`;

/**
 * A button. While `isPending`, it stays focusable and does nothing. React Aria's own pending state is not used: it announces the button by
 * its id, also when the act has taken it away.
 */
export const Button = ({
  look,
  icon,
  children,
  isPending = false,
  type = "button",
  onPress,
  ...props
}: Look & Omit<AriaButtonProps, "children" | "className"> & { ref?: Ref<HTMLButtonElement> }) => (
  <AriaButton
    {...props}
    type={isPending ? "button" : type}
    {...(isPending ? { "aria-disabled": true, "data-pending": true } : { onPress })}
    className={classOf({ look, icon, children } as Look)}
  >
    {icon}
    {children}
  </AriaButton>
);

const Anchor = ({ look, icon, children, ...props }: Look & Omit<ComponentProps<"a">, "className">) => (
  <a {...props} className={classOf({ look, icon, children } as Look)}>
    {icon}
    {children}
  </a>
);

/** A link to a screen that looks like a button. */
export const ButtonLink = createLink(Anchor);

/** A link to another page that looks like a button. */
export const ButtonAnchor = Anchor;
