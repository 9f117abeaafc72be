import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { adminChanged, updatePerson } from "../../../api/admin.ts";
import type { AdminPerson } from "../../../api/types.ts";
import { Button } from "../../../kit/Button.tsx";
import { DangerAct } from "../../../kit/DangerAct.tsx";
import { ConfirmDialog } from "../../../kit/Dialog.tsx";
import { keepFocus } from "../../../kit/focus.ts";
import { toast } from "../../../kit/toasts.ts";
import { countOf } from "../../../kit/words.ts";
import { credentialWords } from "./credentials.ts";

/** Deactivates a person, and says so with a way back. Throws if the service refuses it. */
export async function deactivate({ id, name }: Pick<AdminPerson, "id" | "name">): Promise<void> {
  await updatePerson(id, { deactivated: true });
  await adminChanged();
  toast({
    text: `Deactivated ${name}.`,
    act: {
      label: "Undo",
      async run() {
        try {
          await updatePerson(id, { deactivated: false });
          toast({ text: `${name} may sign in again.` });
        } catch (error) {
          toast({ text: `It could not be undone. ${(error as Error).message}` });
        }
        await adminChanged();
      },
    },
  });
}

/** Deactivates a person, or lets them sign in again. */
export function Activity({ person, isSelf }: { person: AdminPerson; isSelf: boolean }) {
  const { id, name, deactivatedAt, canvases } = person;
  const [isOpen, setOpen] = useState(false);
  const credentials = credentialWords(person);
  const back = useMutation({
    mutationFn: () => updatePerson(id, { deactivated: false }),
    onSuccess: () => toast({ text: `${name} may sign in again.` }),
    onSettled: () => adminChanged().then(keepFocus),
  });
  if (deactivatedAt !== null)
    return (
      <DangerAct
        title="Reactivate"
        error={back.error}
        button={
          <Button isPending={back.isPending} onPress={() => back.mutate()}>
            Reactivate
          </Button>
        }
      >
        <p>They may sign in again. Their sessions, access tokens and connected tools do not come back.</p>
      </DangerAct>
    );
  return (
    <DangerAct
      title="Deactivate"
      button={
        <Button look="danger" isDisabled={isSelf} onPress={() => setOpen(true)}>
          Deactivate…
        </Button>
      }
    >
      <p>
        {isSelf
          ? "You cannot deactivate your own account; another administrator can."
          : "They cannot sign in until somebody reactivates them. What they own stays with them and online."}
      </p>
      <ConfirmDialog
        title="Deactivate this person?"
        act="Deactivate"
        isDanger
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={() => deactivate(person)}
      >
        <p>
          <bdi>{name}</bdi> cannot sign in any more. You can undo that
          {credentials === "" ? "." : `, but it ends ${credentials} for good.`}
        </p>
        {canvases === 0 ? null : (
          <p>
            {countOf(canvases, "canvas stays", "canvases stay")} with them, and only an administrator can give{" "}
            {canvases === 1 ? "it" : "them"} another owner. Offboarding does that first.
          </p>
        )}
      </ConfirmDialog>
    </DangerAct>
  );
}
