import type { Capability } from "@easel/protocol/capabilities";
import { type ComponentType, lazy } from "react";
import type { Canvas, DataSummary } from "../../api/types.ts";
import { bytesOf } from "../../kit/bytes.ts";
import { countOf } from "../../kit/words.ts";

/** What a part gets: the canvas, what it stores, and the `name` of the entry that is shown, which is empty if the part has only one. */
export interface PartProps {
  canvas: Canvas;
  summary: DataSummary;
  name: string;
}

/** An entry of the list at the left. */
export interface Entry {
  name: string;
  label: string;
  /** How much it has, in words. */
  note: string;
  /** Whether it has nothing. The screen opens with the first entry that has something. */
  isEmpty?: boolean;
}

/** Entries of the list below a heading. */
export interface Group {
  heading: string;
  entries: Entry[];
}

/** A part of the data of a canvas. Its component is a chunk of its own and stands in a folder of its own. */
export interface Part {
  /** What stands for it in the address: `?show=collection:ideas`, or `?show=keys` for a part with one entry. */
  id: string;
  /** The capability without which the part cannot be read. Null if it needs none. */
  capability: (Capability & ("kv" | "files")) | null;
  /** Returns what the list has of it, from the counters of the canvas. */
  groups(summary: DataSummary): Group[];
  Component: ComponentType<PartProps>;
}

/** The parts in the order of the list. Another part of the data is another row. */
export const PARTS: readonly Part[] = [
  {
    id: "keys",
    capability: "kv",
    groups: ({ kv }) => [
      {
        heading: "Keys",
        entries: [{ name: "", label: "Shared keys", note: countOf(kv, "key"), isEmpty: kv === 0 }],
      },
    ],
    Component: lazy(async () => ({ default: (await import("./keys/Keys.tsx")).SharedKeys })),
  },
  {
    id: "own-keys",
    capability: "kv",
    groups: ({ kvUser }) => [
      {
        heading: "Keys",
        entries: [
          { name: "", label: "Your keys", note: `${countOf(kvUser, "key")} of all people`, isEmpty: true },
        ],
      },
    ],
    Component: lazy(async () => ({ default: (await import("./keys/Keys.tsx")).OwnKeys })),
  },
  {
    id: "collection",
    capability: "kv",
    groups({ collections }) {
      const entriesOf = (found: DataSummary["collections"]) =>
        found.map(({ name, preset, records }) => ({
          name,
          label: name,
          note: `${preset === null ? "" : `${preset} · `}${countOf(records, "record")}`,
          isEmpty: records === 0,
        }));
      return [
        { heading: "Collections", entries: entriesOf(collections.filter(({ preset }) => preset !== null)) },
        {
          heading: "No longer in the policy",
          entries: entriesOf(collections.filter(({ preset }) => preset === null)),
        },
      ];
    },
    Component: lazy(async () => ({ default: (await import("./collections/Collection.tsx")).Collection })),
  },
  {
    id: "submissions",
    capability: "kv",
    groups: ({ submissions }) => [
      {
        heading: "Submissions",
        entries: submissions.map(({ name, entries }) => ({
          name,
          label: name,
          note: countOf(entries, "submission"),
          isEmpty: entries === 0,
        })),
      },
    ],
    Component: lazy(async () => ({ default: (await import("./submissions/Submissions.tsx")).Submissions })),
  },
  {
    id: "files",
    capability: "files",
    groups: ({ files: { count, bytes } }) => [
      {
        heading: "Files",
        entries: [
          {
            name: "",
            label: "Files",
            note: `${countOf(count, "file")} · ${bytesOf(bytes)}`,
            isEmpty: count === 0,
          },
        ],
      },
    ],
    Component: lazy(async () => ({ default: (await import("./files/Files.tsx")).Files })),
  },
  {
    id: "transfer",
    capability: null,
    groups: () => [
      {
        heading: "All of it",
        entries: [{ name: "", label: "Export and import", note: "As a zip", isEmpty: true }],
      },
    ],
    Component: lazy(async () => ({ default: (await import("./transfer/Transfer.tsx")).Transfer })),
  },
];
