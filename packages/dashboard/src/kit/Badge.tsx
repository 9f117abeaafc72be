import "./badge.css";
import type { ReactNode } from "react";

/** A state in words, with a colour that repeats it. */
export const Badge = ({
  look,
  children,
}: {
  look: "good" | "wait" | "bad" | "plain";
  children: ReactNode;
}) => <span className={`badge ${look}`}>{children}</span>;
