import "./notes.css";
import type { ReactNode } from "react";

/** What a list or a screen shows instead of nothing: why it is empty, and what to do. `acts` are buttons. */
export const Empty = ({
  icon,
  title,
  children,
  acts,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  acts?: ReactNode;
}) => (
  <div className="empty">
    {icon}
    <h2>{title}</h2>
    {children}
    {acts === undefined ? null : <div className="acts">{acts}</div>}
  </div>
);
