import type { Collection } from "@easel/sdk";
import { useRef, useState } from "react";
import { dataQuery, queries } from "../../../api/queries.ts";
import { Button, ButtonAnchor } from "../../../kit/Button.tsx";
import { Dialog } from "../../../kit/Dialog.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { toast } from "../../../kit/toasts.ts";
import { countOf } from "../../../kit/words.ts";
import { noteDeleted } from "../deletions.ts";
import type { RecordList, RecordRow } from "./records.ts";

/** A record that is to be deleted. */
export type Doomed = Pick<RecordRow, "id" | "authorId">;

/**
 * Asks before records are deleted that no message can bring back: many of them, or all. Offers the export first. All records of a collection are
 * one request, others one each, which can be stopped between two of them.
 */
export function DeleteDialog({
  canvas,
  asked,
  isFiltered,
  collection,
  list,
  onClose,
  onDone,
}: {
  canvas: string;
  /** What is to be deleted. */
  asked: readonly Doomed[] | "all";
  isFiltered: boolean;
  collection: Pick<Collection, "delete" | "clear">;
  list: RecordList;
  onClose: () => void;
  onDone: () => void;
}) {
  const [done, setDone] = useState<number | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const isStopped = useRef(false);
  const number = asked === "all" ? 0 : asked.length;
  const close = () => {
    isStopped.current = true;
    setError(null);
    onClose();
  };
  const run = async () => {
    isStopped.current = false;
    setError(null);
    setDone(0);
    let deleted = 0;
    try {
      if (asked === "all") deleted = await collection.clear();
      else
        for (const { id } of asked) {
          if (isStopped.current) break;
          await collection.delete(id);
          noteDeleted(id);
          setDone(++deleted);
        }
      onClose();
      onDone();
    } catch (failure) {
      setError(failure as Error);
    } finally {
      setDone(null);
      if (deleted > 0 || asked === "all") {
        toast({ text: `Deleted ${countOf(deleted, "record")}.` });
        void list.refresh();
        void queries.invalidateQueries({ queryKey: dataQuery(canvas).queryKey });
      }
    }
  };
  return (
    <Dialog
      title={asked === "all" ? "Delete all records?" : `Delete ${countOf(number, "record")}?`}
      role="alertdialog"
      isOpen
      onClose={close}
    >
      <div className="dialog-text">
        <p>
          {asked === "all"
            ? "Every record of this collection that you may delete is deleted, with its files"
            : "They are deleted with their files"}
          , and cannot be brought back.
          {asked === "all" && isFiltered ? " The filter does not count: also those that it hides." : ""}
        </p>
      </div>
      <p role="status" className="small">
        {done === null || asked === "all" ? "" : `Deleted ${done} of ${number}…`}
      </p>
      {error === null ? null : <ErrorNote error={error} />}
      <div className="dialog-acts">
        <ButtonAnchor href={`/api/canvases/${canvas}/export?what=collections`} download>
          Export first
        </ButtonAnchor>
        <Button onPress={close}>{done === null ? "Cancel" : "Stop"}</Button>
        <Button look="danger" isPending={done !== null} onPress={run}>
          Delete
        </Button>
      </div>
    </Dialog>
  );
}
