import { DEFAULT_CHANNEL_POLICY } from "@easel/protocol/realtime";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { ShieldCheck, Trash2 } from "lucide-react";
import { type ReactNode, useCallback, useRef } from "react";
import { dataQuery } from "../../../api/queries.ts";
import type { Canvas } from "../../../api/types.ts";
import { Badge } from "../../../kit/Badge.tsx";
import { Button } from "../../../kit/Button.tsx";
import { focusContent } from "../../../kit/focus.ts";
import { countOf } from "../../../kit/words.ts";
import { entryAddress } from "../search.ts";
import { ChannelEntry } from "./ChannelEntry.tsx";
import { ConnectionEntry } from "./ConnectionEntry.tsx";
import { type Entry, type EntryName, entriesIn, SECTIONS, type Section, withEntry } from "./document.ts";
import { RecordEntry } from "./RecordEntry.tsx";
import { channelSentences } from "./sentences.ts";
import type { PolicyEditor } from "./usePolicy.ts";

const TITLES: Readonly<Record<Section, string>> = {
  collections: "Collections",
  fileGroups: "File groups",
  channels: "Channels",
  connections: "Connections",
};

/** What one entry of a policy needs to be shown and changed. */
export interface EntryProps<In extends Section> {
  name: string;
  entry: Entry<In>;
  /** Null while the document has faults. */
  onChange: ((entry: Entry<In>) => void) | null;
}

/** Returns whether an entry is the one that the address names, and a ref that moves the focus to it when the screen opens. */
function useNamedEntry() {
  const { entry } = useSearch({ from: "/canvases/$id/backend" });
  const isFocused = useRef(false);
  const focusOnce = useCallback((element: HTMLElement | null) => {
    if (element === null || isFocused.current) return;
    isFocused.current = true;
    element.focus();
  }, []);
  return { isNamed: (at: EntryName) => entryAddress(at) === entry, focusOnce };
}

/** The entries of a policy, section by section. */
export function Entries({
  canvas,
  editor,
  onAdd,
}: {
  canvas: Canvas;
  editor: PolicyEditor;
  onAdd: () => void;
}) {
  const { shown, policy, changes, change } = editor;
  const { data } = useQuery(dataQuery(canvas.id));
  const records = new Map(data?.collections.map(({ name, records }) => [name, records]));

  const { isNamed, focusOnce } = useNamedEntry();

  const frame = (at: EntryName, parts: ReactNode) => {
    const known = changes.find((each) => each.section === at.section && each.name === at.name);
    const count = at.section === "collections" ? (records.get(at.name) ?? 0) : 0;
    return (
      <article
        className="entry"
        key={at.name}
        aria-label={at.name}
        ref={isNamed(at) ? focusOnce : undefined}
        tabIndex={-1}
      >
        <div className="entry-head">
          <h4>
            <bdi>{at.name}</bdi>
          </h4>
          {known === undefined ? null : (
            <Badge look="wait">{known.kind === "added" ? "New" : "Changed"}</Badge>
          )}
          {count === 0 ? null : <small className="soft">{countOf(count, "record")}</small>}
          <Button
            look="quiet"
            icon={<Trash2 aria-hidden />}
            aria-label={`Remove ${at.name}`}
            isDisabled={policy === null}
            onPress={() => {
              change(withEntry(shown, at, undefined));
              focusContent();
            }}
          />
        </div>
        {parts}
      </article>
    );
  };
  const changing =
    <In extends Section>(section: In, name: string) =>
    (entry: Entry<In>) =>
      change(withEntry(shown, { section, name }, entry));

  if (SECTIONS.every((section) => entriesIn(shown, section).length === 0))
    return (
      <div className="policy-empty">
        <ShieldCheck aria-hidden />
        <p>
          Nothing is named yet. Keys, submissions and shared files work without a policy; collections of
          records and groups of files need an entry that says who may do what.
        </p>
        <Button onPress={onAdd} isDisabled={policy === null}>
          Add a collection
        </Button>
      </div>
    );
  return SECTIONS.map((section) => {
    const entries = entriesIn(shown, section);
    if (entries.length === 0) return null;
    return (
      <div key={section} className="entries">
        <h3>{TITLES[section]}</h3>
        {section === "collections" || section === "fileGroups"
          ? entriesIn(shown, section).map(([name, entry]) =>
              frame(
                { section, name },
                <RecordEntry
                  section={section}
                  name={name}
                  entry={entry}
                  onChange={policy === null ? null : changing(section, name)}
                />,
              ),
            )
          : section === "channels"
            ? entriesIn(shown, section).map(([name, entry]) =>
                frame(
                  { section, name },
                  <ChannelEntry
                    name={name}
                    entry={entry}
                    onChange={policy === null ? null : changing(section, name)}
                  />,
                ),
              )
            : entriesIn(shown, section).map(([name, entry]) =>
                frame(
                  { section, name },
                  <ConnectionEntry
                    canvas={canvas}
                    name={name}
                    entry={entry}
                    onChange={policy === null ? null : changing(section, name)}
                  />,
                ),
              )}
        {section === "channels" ? (
          <p className="small soft">
            Channels without an entry: {channelSentences(DEFAULT_CHANNEL_POLICY).join(" ")}
          </p>
        ) : null}
      </div>
    );
  });
}
