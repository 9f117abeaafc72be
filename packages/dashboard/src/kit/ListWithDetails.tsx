import "./list-with-details.css";
import { X } from "lucide-react";
import { type ReactNode, useId } from "react";
import { Button } from "./Button.tsx";
import { FocusedHeading } from "./FocusedHeading.tsx";

/** What is shown of an open row. `key` is another one for another row. */
export interface Details {
  key: string;
  title: ReactNode;
  content: ReactNode;
}

/** A list, and beside it the details of the row that is open. In a narrow window the details take its place. */
export const ListWithDetails = ({
  details,
  onClose,
  children,
}: {
  details: Details | null;
  onClose: () => void;
  children: ReactNode;
}) => (
  <div className={`with-details${details === null ? "" : " open"}`}>
    <div className="with-details-list">{children}</div>
    {details === null ? null : <Panel key={details.key} details={details} onClose={onClose} />}
  </div>
);

function Panel({ details: { title, content }, onClose }: { details: Details; onClose: () => void }) {
  const id = useId();
  return (
    <section
      className="card details"
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
    >
      <div className="details-head">
        <FocusedHeading id={id}>{title}</FocusedHeading>
        <Button look="quiet" icon={<X aria-hidden />} aria-label="Close the details" onPress={onClose} />
      </div>
      {content}
    </section>
  );
}
