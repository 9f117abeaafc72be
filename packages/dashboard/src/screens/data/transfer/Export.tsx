import { DATA_PARTS, type DataPart } from "@easel/protocol/management";
import { Download } from "lucide-react";
import { useState } from "react";
import { ButtonAnchor } from "../../../kit/Button.tsx";
import { bytesOf } from "../../../kit/bytes.ts";
import { Toggle } from "../../../kit/Toggle.tsx";
import { countOf } from "../../../kit/words.ts";
import type { PartProps } from "../parts.ts";
import { PART_NAMES } from "./import-words.ts";

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);

/** Downloads what the person may read, or parts of it. */
export function Export({ canvas, summary }: Pick<PartProps, "canvas" | "summary">) {
  const [parts, setParts] = useState<readonly DataPart[]>(DATA_PARTS);
  const notes: Record<DataPart, string> = {
    kv: `${countOf(summary.kv, "shared key")}, and your own keys`,
    collections: countOf(sum(summary.collections.map(({ records }) => records)), "record"),
    submissions: countOf(sum(summary.submissions.map(({ entries }) => entries)), "submission"),
    files: `${countOf(summary.files.count, "file")}, ${bytesOf(summary.files.bytes)}`,
  };
  return (
    <section className="card stack" aria-labelledby="export-title">
      <h2 id="export-title">Export</h2>
      <p className="small soft">
        The zip has what you may read: of the keys per person only your own, of records what the policy shows
        you. Values are lines of JSON, files are as they were uploaded.
      </p>
      <fieldset className="export-parts">
        <legend>What</legend>
        {DATA_PARTS.map((part) => (
          <Toggle
            key={part}
            description={notes[part]}
            isSelected={parts.includes(part)}
            onChange={(isOn) =>
              setParts(DATA_PARTS.filter((each) => (each === part ? isOn : parts.includes(each))))
            }
          >
            {PART_NAMES[part]}
          </Toggle>
        ))}
      </fieldset>
      {parts.length === 0 ? (
        <p className="small field-error">Choose at least one part.</p>
      ) : (
        <p>
          <ButtonAnchor
            look="primary"
            icon={<Download aria-hidden />}
            href={`/api/canvases/${canvas.id}/export?what=${parts.join(",")}`}
            download
          >
            Download as you may read it
          </ButtonAnchor>
        </p>
      )}
    </section>
  );
}
