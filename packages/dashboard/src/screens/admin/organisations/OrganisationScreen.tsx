import "../people/people.css";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useState } from "react";
import {
  adminChanged,
  deleteOrganisation,
  organisationsQuery,
  previewOrganisation,
} from "../../../api/admin.ts";
import type { Organisation } from "../../../api/types.ts";
import { NotFound } from "../../../frame/ScreenError.tsx";
import { Button } from "../../../kit/Button.tsx";
import { DangerAct } from "../../../kit/DangerAct.tsx";
import { Dialog, DialogForm } from "../../../kit/Dialog.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { TextField } from "../../../kit/Field.tsx";
import { Loading } from "../../../kit/Loading.tsx";
import { Screen } from "../../../kit/Screen.tsx";
import { Time } from "../../../kit/Time.tsx";
import { toast } from "../../../kit/toasts.ts";
import { countOf } from "../../../kit/words.ts";
import { previewWords } from "./domains.ts";
import { OrganisationForm } from "./OrganisationForm.tsx";
import { TenancyNote } from "./TenancyNote.tsx";

/** One organisation: its name, its domains, and its end. */
export function OrganisationScreen() {
  const { orgId } = useParams({ from: "/admin/organisations/$orgId" });
  const { data: orgs, error } = useQuery(organisationsQuery);
  const org = orgs?.find(({ id }) => id === orgId);
  if (orgs !== undefined && org === undefined) return <NotFound />;
  if (org === undefined)
    return (
      <Screen title="Organisation">
        {error === null ? <Loading what="the organisation" /> : <ErrorNote error={error} />}
      </Screen>
    );
  return (
    <>
      <p>
        <Link to="/admin/organisations" className="back-link">
          <ArrowLeft aria-hidden /> Organisations
        </Link>
      </p>
      <Screen title={org.name}>
        <div className="stack organisation">
          <TenancyNote />
          <section className="card stack" aria-labelledby="members">
            <h2 id="members">{countOf(org.members, "member")}</h2>
            <p className="soft">
              <code>{org.id}</code>, since <Time at={org.createdAt} as="day" />. Everyone who has signed in
              with an address of its domains is a member.
            </p>
            <OrganisationForm
              key={org.id}
              org={org}
              act="Save"
              onDone={({ name }) => toast({ text: `Saved ${name}.` })}
            />
          </section>
          <section className="card stack" aria-label="Delete">
            <Delete org={org} />
          </section>
        </div>
      </Screen>
    </>
  );
}

function Delete({ org }: { org: Organisation }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <DangerAct
      title="Delete it"
      button={
        <Button look="danger" onPress={() => setOpen(true)}>
          Delete…
        </Button>
      }
    >
      <p>Its members belong to no organisation then, and its canvases have no home organisation any more.</p>
      <Dialog title={`Delete ${org.name}`} isOpen={isOpen} onClose={() => setOpen(false)}>
        <DeleteForm org={org} onClose={() => setOpen(false)} />
      </Dialog>
    </DangerAct>
  );
}

/** Asks for the id, because nothing brings back which canvases belonged to the organisation. */
function DeleteForm({ org: { id, name }, onClose }: { org: Organisation; onClose: () => void }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const [fault, setFault] = useState<string | null>(null);
  const preview = useQuery({
    queryKey: ["admin", "organisations", id, "without"],
    queryFn: () => previewOrganisation(id, []),
    staleTime: 0,
  });
  const act = useMutation({
    async mutationFn() {
      await deleteOrganisation(id);
      toast({ text: `Deleted ${name}.` });
      await navigate({ to: "/admin/organisations" });
      await adminChanged();
    },
  });
  const submit = () => {
    const isRight = typed.trim() === id;
    setFault(isRight ? null : "This is not the id.");
    if (isRight) act.mutate();
  };
  const error = act.error ?? preview.error;
  return (
    <DialogForm
      act="Delete"
      isDanger
      isPending={act.isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className="dialog-text">
        {preview.data === undefined ? (
          <p>Asking whose access changes…</p>
        ) : preview.data.leaving.count === 0 ? (
          <p>Nobody is a member.</p>
        ) : (
          previewWords(preview.data).map((words) => <p key={words}>{words}</p>)
        )}
        <p>This cannot be undone: nothing keeps which canvases belonged to it.</p>
      </div>
      <TextField
        label={`Type ${id} to delete it`}
        value={typed}
        onChange={(to) => {
          setTyped(to);
          setFault(null);
        }}
        error={fault}
        autoComplete="off"
        autoFocus
      />
    </DialogForm>
  );
}
