import "./side-panel.css";
import { X } from "lucide-react";
import type { KeyboardEvent, ReactNode } from "react";
import { Button } from "../../kit/Button.tsx";
import { FocusedHeading } from "../../kit/FocusedHeading.tsx";

/** A list, and what is open of it beside it, or instead of it where there is no room. */
export const Split = ({ panel, children }: { panel: ReactNode; children: ReactNode }) => (
  <div className={`split${panel === null ? "" : " with-panel"}`}>
    <div className="split-list">{children}</div>
    {panel}
  </div>
);

/** One thing of a list beside it. Takes the focus; Escape closes it. `what` names it for the button that closes it. */
export function SidePanel({
  title,
  what,
  takesFocus = true,
  onClose,
  children,
}: {
  title: ReactNode;
  what: string;
  /** Whether the heading takes the focus: not if a field does. */
  takesFocus?: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const press = (event: KeyboardEvent<HTMLElement>) => {
    // The editor of JSON has its own use of Escape, and a list that is open closes first.
    const isOwn = (event.target as HTMLElement).closest(".json-editor, [role=listbox]") === null;
    if (event.key === "Escape" && isOwn && !event.defaultPrevented) onClose();
  };
  return (
    <aside className="side-panel" aria-labelledby="panel-title" onKeyDown={press}>
      <header>
        <FocusedHeading id="panel-title" takesFocus={takesFocus}>
          <bdi>{title}</bdi>
        </FocusedHeading>
        <Button look="quiet" icon={<X aria-hidden />} aria-label={`Close the ${what}`} onPress={onClose} />
      </header>
      {children}
    </aside>
  );
}
