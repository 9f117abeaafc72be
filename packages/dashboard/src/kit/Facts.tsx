import "./facts.css";
import type { ReactNode } from "react";

/** Facts with their names: pairs of `dt` and `dd`. */
export const Facts = ({ children }: { children: ReactNode }) => <dl className="facts">{children}</dl>;
