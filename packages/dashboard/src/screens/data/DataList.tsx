import { Link } from "@tanstack/react-router";
import type { Canvas, DataSummary } from "../../api/types.ts";
import { NativeSelect } from "../../kit/NativeSelect.tsx";
import { type Group, PARTS } from "./parts.ts";
import { showOf } from "./search.ts";

/** A group of the list, with what stands in the address for each of its entries. */
export interface ListedGroup extends Group {
  entries: (Group["entries"][number] & { show: string })[];
}

/** Returns all that a canvas has, in the order of the list. Entries below the same heading are one group. */
export function listOf(summary: DataSummary): ListedGroup[] {
  const found = PARTS.flatMap(({ id, groups }) =>
    groups(summary).flatMap(({ heading, entries }) =>
      entries.map((entry) => ({ heading, entry: { ...entry, show: showOf(id, entry.name) } })),
    ),
  );
  return [...Map.groupBy(found, ({ heading }) => heading)].map(([heading, of]) => ({
    heading,
    entries: of.map(({ entry }) => entry),
  }));
}

/** What the canvas stores: links at the left, or a select on a small screen. */
export function DataList({
  canvas: { id },
  groups,
  show,
  onShow,
}: {
  canvas: Canvas;
  groups: readonly ListedGroup[];
  show: string;
  onShow: (show: string) => void;
}) {
  const choices = groups.flatMap(({ entries }) =>
    entries.map(({ show, label, note }) => ({ value: show, label: `${label} (${note})` })),
  );
  return (
    <div className="data-list">
      <nav aria-label="Data of the canvas">
        {groups.map(({ heading, entries }) => (
          <section key={heading}>
            <h2>{heading}</h2>
            <ul>
              {entries.map((entry) => (
                <li key={entry.show}>
                  <Link
                    to="/canvases/$id/data"
                    params={{ id }}
                    search={{ show: entry.show }}
                    aria-current={entry.show === show ? "page" : undefined}
                    data-current={entry.show === show || undefined}
                  >
                    <bdi>{entry.label}</bdi>
                    <small>{entry.note}</small>
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
      <div className="data-choice">
        <NativeSelect label="Data" choices={choices} value={show} onChange={onShow} />
      </div>
    </div>
  );
}
