import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { adminChanged, disableCanvas, enableCanvas } from "../../../api/admin.ts";
import type { AdminCanvas } from "../../../api/types.ts";
import { toastWithUndo } from "../../../canvas/changes.ts";
import { Button } from "../../../kit/Button.tsx";
import { DangerAct } from "../../../kit/DangerAct.tsx";
import { Dialog, DialogForm } from "../../../kit/Dialog.tsx";
import { TextField } from "../../../kit/Field.tsx";
import { keepFocus } from "../../../kit/focus.ts";

/** Disables a canvas with a reason, which its owner reads, or enables it again. Both have Undo. */
export function Disable({ canvas }: { canvas: AdminCanvas }) {
  const { id, title, disabledAt, disabledReason } = canvas;
  const [isOpen, setOpen] = useState(false);
  const undoable = (text: string, undo: () => Promise<unknown>) =>
    toastWithUndo(id, text, async () => {
      await undo();
      await adminChanged();
    });
  const enable = useMutation({
    mutationFn: () => enableCanvas(id),
    onSuccess: () => undoable(`Enabled ${title}.`, () => disableCanvas(id, disabledReason ?? "")),
    onSettled: () => adminChanged(id).then(keepFocus),
  });
  return (
    <>
      {disabledAt === null ? null : (
        <DangerAct
          title="Enable"
          error={enable.error}
          button={
            <Button look="primary" isPending={enable.isPending} onPress={() => enable.mutate()}>
              Enable
            </Button>
          }
        >
          <p>Everyone who could open it before can open it again.</p>
        </DangerAct>
      )}
      <DangerAct
        title={disabledAt === null ? "Disable" : "Change the reason"}
        button={
          <Button look={disabledAt === null ? "danger" : "plain"} onPress={() => setOpen(true)}>
            {disabledAt === null ? "Disable…" : "Change…"}
          </Button>
        }
      >
        <p>
          {disabledAt === null
            ? "Nobody can open its pages or use its backend, and its owner can only look at its settings. Nothing is deleted."
            : "The owner and the editors read it."}
        </p>
        <Dialog
          title={disabledAt === null ? "Disable this canvas" : "Change the reason"}
          isOpen={isOpen}
          onClose={() => setOpen(false)}
        >
          <ReasonForm
            canvas={canvas}
            onClose={() => setOpen(false)}
            onDone={() => {
              if (disabledAt === null) undoable(`Disabled ${title}.`, () => enableCanvas(id));
              else undoable("Changed the reason.", () => disableCanvas(id, disabledReason ?? ""));
            }}
          />
        </Dialog>
      </DangerAct>
    </>
  );
}

function ReasonForm({
  canvas: { id, owner, disabledAt, disabledReason },
  onClose,
  onDone,
}: {
  canvas: AdminCanvas;
  onClose: () => void;
  onDone: () => void;
}) {
  const [reason, setReason] = useState(disabledReason ?? "");
  const act = useMutation({
    mutationFn: () => disableCanvas(id, reason.trim()),
    onSuccess() {
      onClose();
      onDone();
    },
    onSettled: () => adminChanged(id),
  });
  return (
    <DialogForm
      act={disabledAt === null ? "Disable" : "Save"}
      isDanger={disabledAt === null}
      isPending={act.isPending}
      onSubmit={() => act.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Reason"
        description={
          <>
            <bdi>{owner.name}</bdi>, the editors and everyone who opens the address see it. It can be empty.
          </>
        }
        lines={3}
        maxLength={500}
        value={reason}
        onChange={setReason}
        error={act.error?.message}
        autoFocus
      />
    </DialogForm>
  );
}
