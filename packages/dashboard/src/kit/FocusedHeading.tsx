import { type ReactNode, useEffect, useRef } from "react";

/** The heading of what has just replaced something else on the screen. It takes the focus, unless `takesFocus` is false. */
export function FocusedHeading({
  id,
  takesFocus = true,
  children,
}: {
  id: string;
  takesFocus?: boolean;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) heading.current?.focus();
  }, [takesFocus]);
  return (
    <h2 id={id} ref={heading} tabIndex={-1}>
      {children}
    </h2>
  );
}
