import "./transfer.css";
import type { PartProps } from "../parts.ts";
import { Export } from "./Export.tsx";
import { Import } from "./Import.tsx";

/** The data of a canvas as a zip: out of it, and into it. */
export const Transfer = ({ canvas, summary }: PartProps) => (
  <div className="transfer">
    <Export canvas={canvas} summary={summary} />
    <Import canvas={canvas} />
  </div>
);
