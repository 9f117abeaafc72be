import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { purgeCanvas } from "../../api/canvas-acts.ts";
import { ownUsageQuery, queries } from "../../api/queries.ts";
import type { ListedCanvas } from "../../api/types.ts";
import { rowGone } from "../../canvas/lists.ts";
import { Dialog, DialogForm } from "../../kit/Dialog.tsx";
import { TextField } from "../../kit/Field.tsx";
import { toast } from "../../kit/toasts.ts";
import { isTyped } from "../../kit/typed.ts";
import { focusRow } from "./CanvasGrid.tsx";

/** Asks for the title of a canvas before it is removed for good. */
export const PurgeDialog = ({ canvas, onClose }: { canvas: ListedCanvas; onClose: () => void }) => (
  <Dialog title="Delete for good?" isOpen onClose={onClose}>
    <PurgeForm canvas={canvas} onClose={onClose} />
  </Dialog>
);

function PurgeForm({ canvas: { id, title }, onClose }: { canvas: ListedCanvas; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const [isWrong, setWrong] = useState(false);
  const purge = useMutation({
    async mutationFn() {
      await purgeCanvas(id);
      rowGone(id);
      void queries.invalidateQueries(ownUsageQuery);
      toast({ text: `Deleted “${title}” for good.` });
      onClose();
      focusRow();
    },
  });
  const submit = () => {
    if (isTyped(title, typed)) purge.mutate();
    else setWrong(true);
  };
  return (
    <DialogForm
      act="Delete for good"
      isDanger
      isPending={purge.isPending}
      error={purge.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className="dialog-text">
        <p>
          <strong>
            <bdi>{title}</bdi>
          </strong>{" "}
          goes with all its versions, data, files and guests. Nobody can bring it back, administrators
          neither.
        </p>
      </div>
      <TextField
        label="Type the title to confirm"
        autoFocus
        autoComplete="off"
        value={typed}
        onChange={(text) => {
          setTyped(text);
          setWrong(false);
        }}
        error={isWrong ? "That is not the title." : null}
      />
    </DialogForm>
  );
}
