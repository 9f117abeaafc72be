import "./danger.css";
import type { ReactNode } from "react";
import { ErrorNote } from "./ErrorNote.tsx";

/** An act that gives or takes something away, in a card of the class `danger-zone`: its title, what happens, its button and its error. */
export const DangerAct = ({
  title,
  children,
  button,
  error = null,
}: {
  title: string;
  children: ReactNode;
  button: ReactNode;
  error?: Error | null;
}) => (
  <div className="danger-act">
    <div>
      <h3>{title}</h3>
      <div className="small soft">{children}</div>
    </div>
    {button}
    {error === null ? null : <ErrorNote error={error} />}
  </div>
);
