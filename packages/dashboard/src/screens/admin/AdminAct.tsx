import "./admin-list.css";
import type { ReactNode } from "react";
import { ErrorNote } from "../../kit/ErrorNote.tsx";

/** An act on a screen of the administration: what it does, its button, and why it failed. */
export const AdminAct = ({
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
  <div className="admin-act">
    <div>
      <h3>{title}</h3>
      <div className="small soft">{children}</div>
    </div>
    {button}
    {error === null ? null : <ErrorNote error={error} />}
  </div>
);
