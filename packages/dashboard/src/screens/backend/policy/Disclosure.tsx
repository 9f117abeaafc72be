import { type ReactNode, useState } from "react";

/** A part of an entry that is drawn when it is opened: a policy can have 200 entries. `of` names the entry for screen readers. */
export function Disclosure({
  summary,
  of,
  children,
}: {
  summary: string;
  of: string;
  children: () => ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {summary}
        <span className="hidden-text"> of {of}</span>
      </summary>
      {isOpen ? children() : null}
    </details>
  );
}
