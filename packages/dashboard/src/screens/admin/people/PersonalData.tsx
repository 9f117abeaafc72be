import { useMutation } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useState } from "react";
import { adminChanged, erasePerson, personExportUrl } from "../../../api/admin.ts";
import type { AdminPerson } from "../../../api/types.ts";
import { Button, ButtonAnchor } from "../../../kit/Button.tsx";
import { DangerAct } from "../../../kit/DangerAct.tsx";
import { Dialog } from "../../../kit/Dialog.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { keepFocus } from "../../../kit/focus.ts";
import { toast } from "../../../kit/toasts.ts";
import { countOf } from "../../../kit/words.ts";
import { PersonComboBox } from "./PersonComboBox.tsx";

/** What the service stores of a person: a copy for them, and its end. */
export function PersonalData({ person, isSelf }: { person: AdminPerson; isSelf: boolean }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="card stack" aria-labelledby="personal-data">
      <h2 id="personal-data">Their data</h2>
      <DangerAct
        title="Export"
        button={
          <ButtonAnchor icon={<Download aria-hidden />} href={personExportUrl(person.id)} download>
            Export
          </ButtonAnchor>
        }
      >
        <p>
          A zip for them, with what they have entered on canvases, too. It has no secrets. The audit log
          records it.
        </p>
      </DangerAct>
      {person.erasedAt === null ? (
        <DangerAct
          title="Erase"
          button={
            <Button look="danger" isDisabled={isSelf} onPress={() => setOpen(true)}>
              Erase…
            </Button>
          }
        >
          <p>
            Removes what is theirs alone, their name and their address. What they have written on canvases
            stays, by a “Deleted person”.
          </p>
          <Dialog
            title="Erase this person for good?"
            role="alertdialog"
            isOpen={isOpen}
            onClose={() => setOpen(false)}
          >
            <EraseForm person={person} onClose={() => setOpen(false)} />
          </Dialog>
        </DangerAct>
      ) : null}
    </section>
  );
}

function EraseForm({
  person: { id, name, email, canvases },
  onClose,
}: {
  person: AdminPerson;
  onClose: () => void;
}) {
  const [to, setTo] = useState("");
  const act = useMutation({
    mutationFn: () => erasePerson(id, to.trim().toLowerCase()),
    onSuccess({ erased, left, remaining }) {
      if (!erased) return;
      onClose();
      toast({ text: `Erased the person${left.length + remaining === 0 ? "" : " in part"}.` });
    },
    onSettled: () => adminChanged().then(keepFocus),
  });
  const submit = () => {
    if (!act.isPending) act.mutate();
  };
  const kept = act.data?.erased === false ? act.data.left.length + act.data.remaining : 0;
  return (
    <div className="stack">
      <div className="dialog-text">
        <p>
          Sessions, tokens and keys of <bdi>{name}</bdi> are removed, and nothing names them any more, not
          even the audit log. This cannot be undone, and you cannot reactivate them.
        </p>
        <p>
          {canvases === 0
            ? "If they have created teams, somebody has to take these."
            : `They own ${countOf(canvases, "canvas", "canvases")}: somebody has to take what they own.`}
        </p>
      </div>
      <PersonComboBox
        label="Who takes what they own"
        description="A member who has signed in."
        without={[email]}
        text={to}
        onText={setTo}
        onEnter={submit}
      />
      {act.error === null ? null : <ErrorNote error={act.error} />}
      {kept === 0 ? null : (
        <p className="note wait" role="status">
          {countOf(kept, "canvas or team", "canvases or teams")} could not be moved, so nothing was erased.
          Offboard the person to see why.
        </p>
      )}
      <div className="dialog-acts">
        <Button onPress={onClose}>Cancel</Button>
        <Button look="danger" isPending={act.isPending} onPress={submit}>
          Erase for good
        </Button>
      </div>
    </div>
  );
}
