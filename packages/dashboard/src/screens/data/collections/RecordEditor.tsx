import type { Json, Rights } from "@easel/protocol/types";
import { VALUE_BYTES } from "@easel/protocol/value-bytes";
import type { Collection, CollectionRecord, EaselError } from "@easel/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useBlocker } from "@tanstack/react-router";
import { type FormEvent, lazy, Suspense, useEffect, useEffectEvent, useRef, useState } from "react";
import { refusalOf } from "../../../api/api-error.ts";
import { dataQuery, meQuery, queries } from "../../../api/queries.ts";
import { runtimeOf } from "../../../api/runtime.ts";
import { Button } from "../../../kit/Button.tsx";
import { bytesOf } from "../../../kit/bytes.ts";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { Loading } from "../../../kit/Loading.tsx";
import { Time } from "../../../kit/Time.tsx";
import { toast } from "../../../kit/toasts.ts";
import { Person } from "../Person.tsx";
import { Conflict } from "./Conflict.tsx";
import { type Draft, draftOf, isChanged, valueIn } from "./draft.ts";
import { Fields } from "./Fields.tsx";
import { bytesOfValue, formOf, isSame, merged } from "./form.ts";
import type { RecordList } from "./records.ts";
import { whyNot } from "./refusals.ts";

const LeaveDialog = lazy(async () => ({ default: (await import("../LeaveDialog.tsx")).LeaveDialog }));
const JsonEditor = lazy(async () => ({
  default: (await import("../../../kit/json-editor/JsonEditor.tsx")).JsonEditor,
}));

/** The share of the limit of a value from which its size is told before it is saved. */
const NEAR = 0.75;

/**
 * Edits a record: a flat object as a form, all else as JSON. It is written only if nobody has changed it since it was read. What others change
 * meanwhile comes in by itself while nothing was typed, and otherwise the person chooses.
 */
export function RecordEditor({
  canvas,
  name,
  record,
  template,
  rights,
  list,
  field,
  onClose,
  onCreated,
  onDelete,
}: {
  canvas: string;
  name: string;
  /** Null for a new record, whose value is `template` at first. */
  record: CollectionRecord | null;
  template: Json;
  rights: Rights;
  list: RecordList;
  /** The field that gets the focus. */
  field: string | null;
  onClose: () => void;
  onCreated: (id: string) => void;
  onDelete: (record: Pick<CollectionRecord, "id" | "authorId">) => void;
}) {
  const collection = runtimeOf(canvas).kv.collection(name) as Collection<Json>;
  const { data: me } = useQuery(meQuery);
  /** The record that the draft began with. */
  const [base, setBase] = useState(record);
  const [draft, setDraft] = useState<Draft>(() => draftOf(record?.value ?? template));
  /** The record as somebody else has left it while something was typed. */
  const [theirs, setTheirs] = useState<CollectionRecord | "deleted" | null>(null);
  const [told, setTold] = useState("");
  const [isTried, setTried] = useState(false);
  const start = base?.value ?? template;
  const isDirty = isChanged(draft, start);
  const value = valueIn(draft);
  const cannot = base === null ? null : whyNot(rights, "update", base.authorId === me?.id);
  const cannotDelete = base === null ? null : whyNot(rights, "delete", base.authorId === me?.id);

  const begin = (from: CollectionRecord, value: Json = from.value) => {
    setBase(from);
    setDraft((before) =>
      draftOf(value, before.as === "json" && formOf(value) !== null ? "json" : "form", before),
    );
    setTheirs(null);
    setTried(false);
  };

  /** Whether the panel goes with what was typed, because it is saved or not wanted any more. */
  const leaves = useRef(false);
  const save = useMutation({
    async mutationFn(to: Json) {
      if (base === null) return collection.create<Json>(to as never);
      return list.write(base.id, () => writeIf(collection, base, to));
    },
    onSuccess(stored) {
      const before = base;
      if (before === null) list.put(stored);
      begin(stored);
      setTold("");
      void queries.invalidateQueries({ queryKey: dataQuery(canvas).queryKey });
      if (before === null) {
        leaves.current = true;
        toast({ text: "Added the record." });
        onCreated(stored.id);
      } else
        toast({
          text: "Saved.",
          act: { label: "Undo", run: () => undo(collection, list, stored, before.value) },
        });
    },
    onError(error) {
      const code = refusalOf(error)?.code;
      if (code === "RECORD_CHANGED") setTheirs((error as EaselError).record ?? null);
      if (code === "NOT_FOUND" && base !== null) setTheirs("deleted");
    },
  });

  const changed = useEffectEvent((id: string, now: CollectionRecord | null, isOwn: boolean) => {
    if (base === null || id !== base.id) return;
    // The news of what is being saved may come before the response.
    if (isOwn && save.isPending) return;
    if (now === null) setTheirs("deleted");
    else if (now.updatedAt <= base.updatedAt || isSame(now.value, base.value)) return;
    else if (isDirty) setTheirs(now);
    else {
      begin(now);
      setTold(isOwn ? "" : "Somebody has just changed this.");
    }
  });
  useEffect(() => list.onChange(changed), [list]);

  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const [from, to] = [current.search, next.search] as { record?: string; show?: string }[];
      const stays =
        current.pathname === next.pathname && from?.record === to?.record && from?.show === to?.show;
      return isDirty && !leaves.current && !stays;
    },
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  const bytes = value === undefined ? 0 : bytesOfValue(value);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!isDirty && base !== null) return setTold("Nothing has changed, so there is nothing to save.");
    if (value !== undefined && cannot === null && theirs === null) save.mutate(value);
  };
  const isTold =
    save.error !== null && ["RECORD_CHANGED", "NOT_FOUND"].includes(refusalOf(save.error)?.code ?? "");
  const canBeForm = value !== undefined && formOf(value) !== null;
  return (
    <form className="record-editor" onSubmit={submit} noValidate>
      {base === null ? null : (
        <p className="small soft">
          <Person canvas={canvas} id={base.authorId} />, changed <Time at={base.updatedAt} />
        </p>
      )}
      <p role="status" className="small told">
        {isDirty ? "" : told}
      </p>
      {cannot === null ? null : <p className="note small">{cannot}</p>}
      {theirs === null ? null : (
        <Conflict
          theirs={theirs}
          mine={value}
          isDirty={isDirty}
          who={rights.update.any ? null : <Person canvas={canvas} id={base?.authorId ?? ""} />}
          onKeep={() => {
            focusTitle();
            if (theirs === "deleted") {
              setBase(null);
              setTheirs(null);
            } else if (value !== undefined) begin(theirs, merged(start, value, theirs.value));
            save.reset();
          }}
          onTake={() => {
            focusTitle();
            save.reset();
            if (theirs === "deleted") {
              leaves.current = true;
              onClose();
            } else begin(theirs);
          }}
        />
      )}
      {draft.as === "form" ? (
        <Fields
          fields={draft.fields}
          isReadOnly={cannot !== null}
          isTried={isTried}
          focused={field}
          onChange={(fields) => setDraft({ as: "form", fields })}
        />
      ) : (
        <Suspense fallback={<Loading what="the editor" />}>
          <JsonEditor
            label="Value"
            value={draft.text}
            {...(cannot === null ? { onChange: (text: string) => setDraft({ as: "json", text }) } : {})}
          />
        </Suspense>
      )}
      {bytes > VALUE_BYTES * NEAR ? (
        <p className={`small ${bytes > VALUE_BYTES ? "field-error" : "soft"}`}>
          {bytesOf(bytes)} of at most {bytesOf(VALUE_BYTES)}
        </p>
      ) : null}
      {save.error === null || isTold ? null : <Refused error={save.error} bytes={bytes} />}
      <div className="record-acts">
        {cannot !== null ? null : (
          <Button
            look={isDirty || base === null ? "primary" : "plain"}
            type="submit"
            isPending={save.isPending}
          >
            {base === null ? "Add" : "Save"}
          </Button>
        )}
        {canBeForm ? (
          <Button
            look="quiet"
            onPress={() => setDraft(draftOf(value, draft.as === "form" ? "json" : "form"))}
          >
            {draft.as === "form" ? "Edit as JSON" : "Edit as a form"}
          </Button>
        ) : null}
        {base === null || cannotDelete !== null ? null : (
          <Button
            look="danger"
            onPress={() => {
              leaves.current = true;
              onDelete(base);
            }}
          >
            Delete
          </Button>
        )}
      </div>
      {blocker.status === "blocked" ? (
        <Suspense>
          <LeaveDialog onStay={blocker.reset} onLeave={blocker.proceed} />
        </Suspense>
      ) : null}
    </form>
  );
}

/** Moves the focus to the title of the panel, after an act that takes away the control that performed it. */
const focusTitle = () => document.getElementById("panel-title")?.focus();

/** Replaces the value of a record, unless somebody has changed it since it was `read`. */
const writeIf = (collection: Collection<Json>, read: CollectionRecord, to: Json): Promise<CollectionRecord> =>
  collection.update<Json>(read.id, to as never, { expectedUpdatedAt: read.updatedAt });

/** Writes the value that a record had before, unless somebody has changed it again. The message with the act has taken the focus with it. */
async function undo(
  collection: Collection<Json>,
  list: RecordList,
  stored: CollectionRecord,
  before: Json,
): Promise<void> {
  try {
    focusTitle();
    await list.write(stored.id, () => writeIf(collection, stored, before));
    toast({ text: "Undone." });
  } catch (error) {
    const isChanged = refusalOf(error as Error)?.code === "RECORD_CHANGED";
    const why = isChanged ? "Somebody has changed it again." : (error as Error).message;
    toast({ text: `It could not be undone. ${why}` });
  }
}

/** Why a record was not written. */
function Refused({ error, bytes }: { error: Error; bytes: number }) {
  const code = refusalOf(error)?.code;
  return (
    <ErrorNote error={error}>
      {code === "VALUE_TOO_LARGE" ? (
        <p className="small">
          The value has {bytesOf(bytes)}; a record has at most {bytesOf(VALUE_BYTES)}.
        </p>
      ) : code === "KEY_LIMIT" ? (
        <p className="small">
          The collections of this canvas hold as many records as its limit allows. Delete some first, or ask
          an administrator for more.
        </p>
      ) : null}
    </ErrorNote>
  );
}
