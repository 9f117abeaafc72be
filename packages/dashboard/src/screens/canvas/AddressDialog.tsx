import { useState } from "react";
import { updateCanvas } from "../../api/canvas-acts.ts";
import type { Canvas } from "../../api/types.ts";
import { addressWith } from "../../canvas/address.ts";
import { useCanvasChange } from "../../canvas/changes.ts";
import { Dialog, DialogForm } from "../../kit/Dialog.tsx";
import { TextField } from "../../kit/Field.tsx";
import { toast } from "../../kit/toasts.ts";

/** Changes the slug of a canvas, the name in its address. Says what happens to the old address. */
export const AddressDialog = ({
  canvas,
  isOpen,
  onClose,
}: {
  canvas: Canvas;
  isOpen: boolean;
  onClose: () => void;
}) => (
  <Dialog title="Change the address" isOpen={isOpen} onClose={onClose}>
    <AddressForm canvas={canvas} onClose={onClose} />
  </Dialog>
);

function AddressForm({ canvas, onClose }: { canvas: Canvas; onClose: () => void }) {
  const { id, slug, url } = canvas;
  const [to, setTo] = useState(slug);
  const save = useCanvasChange(id, () => updateCanvas(id, { slug: to }));
  const submit = () => {
    if (to === slug) return onClose();
    save.mutate(undefined, {
      onSuccess: () => {
        toast({ text: "The address has changed. The old one does not open any more." });
        onClose();
      },
    });
  };
  const hint = (save.error as { hint?: string | null } | null)?.hint;
  return (
    <DialogForm act="Change the address" isPending={save.isPending} onSubmit={submit} onClose={onClose}>
      <TextField
        label="Name in the address"
        description={<bdi>{addressWith(url, slug, to === "" ? "…" : to)}</bdi>}
        autoFocus
        value={to}
        onChange={setTo}
        autoComplete="off"
        spellCheck="false"
        error={save.error === null ? null : [save.error.message, hint].filter(Boolean).join(" ")}
      />
      <div className="dialog-text">
        <p>
          The old address stops working at once, and links to it lead nowhere. Send the new address to the
          people who use the page.
        </p>
        <p>
          {canvas.version === null
            ? "Other people can take the old name after 30 days."
            : "Nobody else can take the old name. You can use it again after 30 days."}
        </p>
      </div>
    </DialogForm>
  );
}
