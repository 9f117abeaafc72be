import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { restoreCanvas } from "../../api/canvas-acts.ts";
import type { ListedCanvas } from "../../api/types.ts";
import { rowGone } from "../../canvas/lists.ts";
import { Dialog, DialogForm } from "../../kit/Dialog.tsx";
import { TextField } from "../../kit/Field.tsx";
import { toast } from "../../kit/toasts.ts";

/** Asks for another name in the address, because the former one is taken. */
export function RestoreDialog({ canvas, onClose }: { canvas: ListedCanvas; onClose: () => void }) {
  return (
    <Dialog title="The address is taken" isOpen onClose={onClose}>
      <RestoreForm canvas={canvas} onClose={onClose} />
    </Dialog>
  );
}

function RestoreForm({
  canvas: { id, title, slug },
  onClose,
}: {
  canvas: ListedCanvas;
  onClose: () => void;
}) {
  const [to, setTo] = useState(`${slug}-2`);
  const restore = useMutation({
    async mutationFn() {
      await restoreCanvas(id, to);
      rowGone(id);
      toast({ text: `Restored "${title}".` });
      onClose();
    },
  });
  return (
    <DialogForm
      act="Restore"
      isPending={restore.isPending}
      onSubmit={() => restore.mutate()}
      onClose={onClose}
    >
      <p className="soft">
        Another canvas has the name <bdi>{slug}</bdi> now. Choose a new one for <bdi>{title}</bdi>. Its files,
        data and sharing come back as they were.
      </p>
      <TextField
        label="Name in the address"
        autoFocus
        value={to}
        onChange={setTo}
        error={restore.error?.message}
      />
    </DialogForm>
  );
}
