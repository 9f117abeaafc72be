import type { ChannelPolicy, ConnectionPolicy, RecordPolicy } from "@easel/protocol/policy";
import { DEFAULT_CHANNEL_POLICY } from "@easel/protocol/realtime";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { ShieldCheck, Trash2 } from "lucide-react";
import { memo, type Ref, useCallback, useRef } from "react";
import { dataQuery } from "../../../api/queries.ts";
import type { Canvas } from "../../../api/types.ts";
import { Badge } from "../../../kit/Badge.tsx";
import { Button } from "../../../kit/Button.tsx";
import { countOf } from "../../../kit/words.ts";
import { entryAddress } from "../search.ts";
import { ChannelEntry } from "./ChannelEntry.tsx";
import { ConnectionEntry } from "./ConnectionEntry.tsx";
import {
  type Entry,
  type EntryChange,
  type EntryName,
  entriesIn,
  SECTIONS,
  type Section,
} from "./document.ts";
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
  const { shown, policy, changes, changeEntry } = editor;
  const { data } = useQuery(dataQuery(canvas.id));
  const records = new Map(data?.collections.map(({ name, records }) => [name, records]));
  const { isNamed, focusOnce } = useNamedEntry();
  const kinds = new Map(changes.map(({ section, name, kind }) => [`${section} ${name}`, kind]));

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
        {entries.map(([name, entry]) => (
          <EntryCard
            key={name}
            ref={isNamed({ section, name }) ? focusOnce : undefined}
            canvasId={canvas.id}
            section={section}
            name={name}
            entry={entry}
            kind={kinds.get(`${section} ${name}`)}
            records={section === "collections" ? (records.get(name) ?? 0) : 0}
            onChange={policy === null ? null : changeEntry}
          />
        ))}
        {section === "channels" ? (
          <p className="small soft">
            Channels without an entry: {channelSentences(DEFAULT_CHANNEL_POLICY).join(" ")}
          </p>
        ) : null}
      </div>
    );
  });
}

/** An entry: its name, whether it is saved, and what it says. */
const EntryCard = memo(function EntryCard({
  ref,
  canvasId,
  section,
  name,
  entry,
  kind,
  records,
  onChange,
}: {
  ref: Ref<HTMLElement> | undefined;
  canvasId: string;
  section: Section;
  name: string;
  entry: Entry;
  kind: EntryChange["kind"] | undefined;
  records: number;
  onChange: PolicyEditor["changeEntry"] | null;
}) {
  const change = onChange === null ? null : (to: Entry) => onChange({ section, name }, to);
  return (
    <article className="entry" aria-label={name} ref={ref} tabIndex={-1}>
      <div className="entry-head">
        <h4>
          <bdi>{name}</bdi>
        </h4>
        {kind === undefined ? null : <Badge look="wait">{kind === "added" ? "New" : "Changed"}</Badge>}
        {records === 0 ? null : <small className="soft">{countOf(records, "record")}</small>}
        <Button
          look="quiet"
          icon={<Trash2 aria-hidden />}
          aria-label={`Remove ${name}`}
          isDisabled={onChange === null}
          onPress={() => onChange?.({ section, name }, undefined)}
        />
      </div>
      {section === "channels" ? (
        <ChannelEntry name={name} entry={entry as ChannelPolicy} onChange={change} />
      ) : section === "connections" ? (
        <ConnectionEntry
          canvasId={canvasId}
          name={name}
          entry={entry as ConnectionPolicy}
          onChange={change}
        />
      ) : (
        <RecordEntry section={section} name={name} entry={entry as RecordPolicy} onChange={change} />
      )}
    </article>
  );
});
