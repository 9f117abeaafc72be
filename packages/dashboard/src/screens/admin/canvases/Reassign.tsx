import { useMutation, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { adminChanged, reassignCanvas, takeCanvas } from "../../../api/admin.ts";
import { meQuery } from "../../../api/queries.ts";
import type { AdminCanvas } from "../../../api/types.ts";
import { Button } from "../../../kit/Button.tsx";
import { DangerAct } from "../../../kit/DangerAct.tsx";
import { Dialog } from "../../../kit/Dialog.tsx";
import { TextField } from "../../../kit/Field.tsx";
import { toast } from "../../../kit/toasts.ts";
import { PersonComboBox } from "../people/PersonComboBox.tsx";

/** Gives a canvas another owner. */
export function Reassign({ canvas }: { canvas: AdminCanvas }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <DangerAct
      title="Change the owner"
      button={<Button onPress={() => setOpen(true)}>Change the owner…</Button>}
    >
      <p>Any member can become the owner. The former owner stays an editor.</p>
      <Dialog title="Change the owner" isOpen={isOpen} onClose={() => setOpen(false)}>
        <ReassignForm canvas={canvas} onClose={() => setOpen(false)} />
      </Dialog>
    </DangerAct>
  );
}

function ReassignForm({
  canvas: { id, title, owner },
  onClose,
}: {
  canvas: AdminCanvas;
  onClose: () => void;
}) {
  const [to, setTo] = useState("");
  const [reason, setReason] = useState("");
  const { data: me } = useSuspenseQuery(meQuery);
  const receiver = to.trim().toLowerCase();
  const isOwn = receiver === me.email;
  const act = useMutation({
    mutationFn: () => (isOwn ? takeCanvas(id, reason.trim()) : reassignCanvas(id, receiver, reason.trim())),
    onSuccess(canvas) {
      onClose();
      toast({ text: `${canvas.owner.name} owns ${title} now. ${owner.name} is an editor.` });
    },
    onSettled: () => adminChanged(id),
  });
  const submit = () => {
    if (!act.isPending) act.mutate();
  };
  return (
    <div className="stack">
      <div className="dialog-text">
        <p>
          The new owner decides who gets in and can delete it, and it counts toward their quotas.{" "}
          <bdi>{owner.name}</bdi> stays an editor.
        </p>
      </div>
      <PersonComboBox
        label="New owner"
        description="A member who has signed in."
        without={[owner.email]}
        text={to}
        onText={setTo}
        onEnter={submit}
        error={act.error?.message ?? null}
      />
      {isOwn ? (
        <p className="note wait" role="status">
          You take it yourself, and get its content. The owner and the editors see that in its activity.
        </p>
      ) : null}
      <TextField
        label="Reason (optional)"
        description="Only the audit log shows it."
        value={reason}
        onChange={setReason}
        maxLength={500}
      />
      <div className="dialog-acts">
        <Button onPress={onClose}>Cancel</Button>
        <Button look="danger" isPending={act.isPending} onPress={submit}>
          {isOwn ? "Take it" : "Change the owner"}
        </Button>
      </div>
    </div>
  );
}
