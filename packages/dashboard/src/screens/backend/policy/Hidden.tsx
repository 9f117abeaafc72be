import { DEFAULT_CHANNEL_POLICY } from "@easel/protocol/realtime";
import { useQuery } from "@tanstack/react-query";
import { dataQuery } from "../../../api/queries.ts";
import type { Canvas } from "../../../api/types.ts";
import { Button } from "../../../kit/Button.tsx";
import { countOf } from "../../../kit/words.ts";
import { type EntryChange, entryIn, withEntry } from "./document.ts";
import { channelSentences } from "./sentences.ts";
import type { PolicyEditor } from "./usePolicy.ts";

const THINGS = {
  collections: "Collection",
  fileGroups: "File group",
  channels: "Channel",
  connections: "Connection",
} as const;

/** What a removal takes from view once it is saved, and what has been taken from view before. */
export function Hidden({ canvas, editor }: { canvas: Canvas; editor: PolicyEditor }) {
  const { shown, stored, policy, change, changes } = editor;
  const { data } = useQuery(dataQuery(canvas.id));
  const records = (name: string) => data?.collections.find((each) => each.name === name)?.records ?? 0;
  const removed = changes.filter(({ kind }) => kind === "removed");
  const unnamed = (data?.collections ?? []).filter(
    ({ name, records }) =>
      records > 0 &&
      [shown, stored].every((each) => entryIn(each, { section: "collections", name }) === undefined),
  );
  return (
    <>
      {removed.map((at) => (
        <div key={`${at.section} ${at.name}`} className="note wait removed" role="status">
          <p>
            {THINGS[at.section]} <bdi>“{at.name}”</bdi> goes when you save.{" "}
            {consequence(at, records(at.name), canvas)}
          </p>
          <Button
            aria-label={`Keep it: ${at.name}`}
            onPress={() => change(withEntry(shown, at, entryIn(stored, at)))}
            isDisabled={policy === null}
          >
            Keep it
          </Button>
        </div>
      ))}
      {unnamed.map(({ name, records }) => (
        <div key={name} className="note removed">
          <p>
            {countOf(records, "record")} of <bdi>“{name}”</bdi> {records === 1 ? "is" : "are"} kept and
            invisible, because the policy does not name the collection any more.
          </p>
          <Button
            aria-label={`Add it again: ${name}`}
            onPress={() => change(withEntry(shown, { section: "collections", name }, { preset: "managed" }))}
            isDisabled={policy === null}
          >
            Add it again
          </Button>
        </div>
      ))}
    </>
  );
}

/** What happens to what an entry was about, in a sentence. */
function consequence({ section }: EntryChange, records: number, canvas: Canvas): string {
  switch (section) {
    case "collections":
      return records === 0
        ? "It has no records."
        : `${countOf(records, "record")} ${records === 1 ? "becomes" : "become"} invisible; adding it again shows ${records === 1 ? "it" : "them"}.`;
    case "fileGroups":
      return "Its files become invisible; adding it again shows them.";
    case "channels":
      return `Then what holds for all channels holds for it: ${channelSentences(DEFAULT_CHANNEL_POLICY).join(" ")}`;
    case "connections":
      return canvas.capabilities.connectionsAudience === "viewers"
        ? "Then everyone who may open this canvas sends requests through it, as for all Connections."
        : "Then only the owner and editors send requests through it, as for all Connections.";
  }
}
