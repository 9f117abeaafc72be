import { useMutation, useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useState } from "react";
import { adminChanged, erasePerson, handoverQuery, personExportUrl } from "../../../api/admin.ts";
import type { AdminPerson } from "../../../api/types.ts";
import { Button, ButtonAnchor } from "../../../kit/Button.tsx";
import { DangerAct } from "../../../kit/DangerAct.tsx";
import { Dialog, DialogForm } from "../../../kit/Dialog.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { TextField } from "../../../kit/Field.tsx";
import { keepFocus } from "../../../kit/focus.ts";
import { Loading } from "../../../kit/Loading.tsx";
import { toast } from "../../../kit/toasts.ts";
import { isTyped } from "../../../kit/typed.ts";
import { countOf } from "../../../kit/words.ts";
import { ownedWords } from "./offboarding/words.ts";
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
          A zip file to give to them, with what they have entered on canvases. It contains no secrets. The
          audit log records the export.
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
            Removes what is theirs alone, their name and their address. What they have entered on canvases
            stays, as by a “Deleted person”.
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

function EraseForm({ person: { id, name, email }, onClose }: { person: AdminPerson; onClose: () => void }) {
  const { data: owned, error } = useQuery({ ...handoverQuery(id), staleTime: 0 });
  const [to, setTo] = useState("");
  const [typed, setTyped] = useState("");
  const [faults, setFaults] = useState<{ to?: string; typed?: string }>({});
  const act = useMutation({
    mutationFn: () => erasePerson(id, to.trim().toLowerCase()),
    onSuccess({ erased }) {
      if (!erased) return;
      onClose();
      toast({ text: `Erased ${name}.` });
    },
    onSettled: () => adminChanged().then(keepFocus),
  });
  if (error !== null) return <ErrorNote error={error} />;
  if (owned === undefined) return <Loading what="what they own" rows={2} />;
  const words = ownedWords(owned);
  const submit = () => {
    const faults = {
      ...(words !== "" && to.trim() === "" && { to: "Choose who takes what they own." }),
      ...(!isTyped(email, typed) && { typed: "That is not their address." }),
    };
    setFaults(faults);
    if (Object.keys(faults).length === 0 && !act.isPending) act.mutate();
  };
  const kept = act.data?.erased === false ? act.data.left.length + act.data.remaining : 0;
  return (
    <DialogForm
      act="Erase for good"
      isDanger
      isPending={act.isPending}
      error={act.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className="dialog-text">
        <p>
          Sessions, tokens and keys of <bdi>{name}</bdi> are removed
          {owned.guests === 0 ? "" : `, the access of ${countOf(owned.guests, "guest")} they invited ends`},
          and nothing names them any more, not even the audit log. This cannot be undone, and you cannot
          reactivate them.
        </p>
      </div>
      {words === "" ? null : (
        <PersonComboBox
          label={`New owner of ${words}`}
          description="A member who has signed in."
          without={[email]}
          text={to}
          onText={setTo}
          onEnter={submit}
          error={faults.to ?? null}
        />
      )}
      <TextField
        label="Type their e-mail address to confirm"
        description={<bdi>{email}</bdi>}
        autoComplete="off"
        value={typed}
        onChange={setTyped}
        error={faults.typed ?? null}
      />
      {kept === 0 ? null : (
        <p className="note wait" role="status">
          {countOf(kept, "canvas or team", "canvases or teams")} could not be moved, so nothing was erased.
          Offboard the person to see why.
        </p>
      )}
    </DialogForm>
  );
}
