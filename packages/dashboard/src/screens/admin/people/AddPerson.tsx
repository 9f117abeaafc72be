import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { addPerson, adminChanged } from "../../../api/admin.ts";
import { Button } from "../../../kit/Button.tsx";
import { Dialog, DialogForm } from "../../../kit/Dialog.tsx";
import { TextField } from "../../../kit/Field.tsx";
import { Toggle } from "../../../kit/Toggle.tsx";
import { toast } from "../../../kit/toasts.ts";

/** Adds somebody before their first sign-in, for example to keep them out. */
export function AddPerson() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onPress={() => setOpen(true)}>Add a person…</Button>
      <Dialog title="Add a person" isOpen={isOpen} onClose={() => setOpen(false)}>
        <AddForm onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function AddForm({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [email, setEmail] = useState("");
  const [isBlocked, setBlocked] = useState(false);
  const act = useMutation({
    mutationFn: () => addPerson({ email: email.trim().toLowerCase(), deactivated: isBlocked }),
    onSuccess({ id, name }) {
      onClose();
      toast({ text: isBlocked ? `${name} cannot sign in.` : `Added ${name}.` });
      void navigate({ to: "/admin/people/$userId", params: { userId: id } });
    },
    onSettled: () => adminChanged(),
  });
  return (
    <DialogForm act="Add" isPending={act.isPending} onSubmit={() => act.mutate()} onClose={onClose}>
      <div className="dialog-text">
        <p>
          People appear when they sign in. Add somebody to set their rights before that, or to keep them out.
          Nothing is sent to them.
        </p>
      </div>
      <TextField
        label="E-mail address"
        value={email}
        onChange={setEmail}
        error={act.error?.message ?? null}
      />
      <Toggle isSelected={isBlocked} onChange={setBlocked} description="You can reactivate them later.">
        They cannot sign in
      </Toggle>
    </DialogForm>
  );
}
