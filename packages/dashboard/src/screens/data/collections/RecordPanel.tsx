import type { Json, Rights } from "@easel/protocol/types";
import type { CollectionRecord } from "@easel/sdk";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { canvasKey } from "../../../api/queries.ts";
import { runtimeOf } from "../../../api/runtime.ts";
import type { Canvas } from "../../../api/types.ts";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { Loading } from "../../../kit/Loading.tsx";
import { SidePanel } from "../SidePanel.tsx";
import { type FoundColumn, fieldOf, nameOf } from "./columns.ts";
import { newField, valueOfForm } from "./form.ts";
import { RecordEditor } from "./RecordEditor.tsx";
import type { RecordList, RecordRow } from "./records.ts";

/** One record beside the list, or instead of it where there is no room: to read, to edit, to delete. Escape closes it. */
export function RecordPanel({
  canvas,
  name,
  id,
  row,
  rights,
  found,
  list,
  edited,
  onClose,
  onCreated,
  onDelete,
}: {
  canvas: Canvas;
  name: string;
  /** Null for a new record. */
  id: string | null;
  /** The row of the record, if it is in the list. */
  row: RecordRow | undefined;
  rights: Rights;
  found: readonly FoundColumn[];
  list: RecordList;
  /** The column of the cell that is edited, whose field gets the focus. */
  edited: string | null;
  onClose: () => void;
  onCreated: (id: string) => void;
  onDelete: (record: Pick<CollectionRecord, "id" | "authorId">) => void;
}) {
  const whole = row?.isWhole ? row : undefined;
  // A row that is drawn has the record, unless it is large. The editor takes changes from the list.
  const [first] = useState<CollectionRecord | undefined>(whole);
  const read = useQuery({
    queryKey: canvasKey(canvas.id, "record", name, id ?? ""),
    queryFn: async () =>
      (await runtimeOf(canvas.id)
        .kv.collection(name)
        .get<Json>(id as string)) ?? null,
    enabled: id !== null && first === undefined,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  const record = first ?? read.data ?? undefined;
  const title = id === null ? "New record" : record === undefined ? "Record" : nameOf((row ?? record).value);
  const field = edited === null ? null : fieldOf(edited);
  return (
    <SidePanel title={title} what="record" takesFocus={field === null} onClose={onClose}>
      {id === null || record !== undefined ? (
        <RecordEditor
          canvas={canvas.id}
          name={name}
          record={record ?? null}
          template={templateOf(found)}
          rights={rights}
          list={list}
          field={field}
          onClose={onClose}
          onCreated={onCreated}
          onDelete={onDelete}
        />
      ) : read.error !== null ? (
        <ErrorNote error={read.error} />
      ) : read.data === null ? (
        <Gone />
      ) : (
        <Loading what="the record" />
      )}
    </SidePanel>
  );
}

const Gone = () => (
  <p className="note wait" role="status">
    There is no such record that the policy shows you. It may have been deleted.
  </p>
);

/** Returns the value that a new record has at first: the fields that most records of the collection have, empty. */
function templateOf(found: readonly FoundColumn[]): Json {
  const fields = found.flatMap(({ id, kinds: [kind], share }) => {
    const field = fieldOf(id);
    if (share < 0.5 || field === null || kind === undefined || kind === "list" || kind === "object")
      return [];
    return [{ ...newField(field, kind), ...(kind === "number" ? { text: "0" } : {}) }];
  });
  return fields.length === 0 ? { title: "" } : valueOfForm(fields.slice(0, 12)).value;
}
