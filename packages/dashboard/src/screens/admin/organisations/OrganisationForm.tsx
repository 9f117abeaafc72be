import { useMutation } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { adminChanged, previewOrganisation, putOrganisation } from "../../../api/admin.ts";
import { errorAt, errorElsewhere } from "../../../api/field-errors.ts";
import type { Organisation } from "../../../api/types.ts";
import { Button } from "../../../kit/Button.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { TextField } from "../../../kit/Field.tsx";
import { changesAccess, domainFault, domainsIn, type Preview, previewWords } from "./domains.ts";

const ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

/**
 * The name and the domains of an organisation. Before a change is saved that changes anybody's access, it says whose. `org` is null for a new
 * one, which also has an id.
 */
export function OrganisationForm({
  org,
  act,
  onDone,
  children,
}: {
  org: Organisation | null;
  /** The label of the button that saves. */
  act: string;
  onDone: (saved: Organisation) => void;
  /** Further buttons, before the one that saves. */
  children?: ReactNode;
}) {
  const [id, setId] = useState(org?.id ?? "");
  const [name, setName] = useState(org?.name ?? "");
  const [text, setText] = useState((org?.domains ?? []).join("\n"));
  const [faults, setFaults] = useState<{ id?: string; name?: string; domains?: string }>({});
  // What the change would mean, once the service has said so.
  const [preview, setPreview] = useState<Preview | null>(null);
  const domains = domainsIn(text);

  const check = useMutation({
    mutationFn: () => previewOrganisation(id, domains),
    onSuccess(found) {
      if (changesAccess(found)) setPreview(found);
      else save.mutate(false);
    },
  });
  const save = useMutation({
    mutationFn: (take: boolean) => putOrganisation(id, { name: name.trim(), domains, take }),
    async onSuccess(saved) {
      await adminChanged();
      setPreview(null);
      setText(saved.domains.join("\n"));
      onDone(saved);
    },
  });
  const isPending = check.isPending || save.isPending;
  const edited = (change: () => void) => {
    change();
    setFaults({});
    setPreview(null);
    save.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    const fault = domainFault(domains);
    const found = {
      ...(ID.test(id) ? {} : { id: "Use lower-case letters, digits and hyphens, not at its beginning." }),
      ...(name.trim() === "" ? { name: "Enter a name." } : {}),
      ...(fault === null ? {} : { domains: fault }),
    };
    setFaults(found);
    if (Object.keys(found).length > 0) return;
    if (preview !== null) save.mutate(preview.taken.length > 0);
    else check.mutate();
  };
  const error = save.error ?? check.error;
  const rest = errorElsewhere(error, ["id", "name", "domains"]);
  return (
    <form className="stack" onSubmit={submit}>
      {org === null ? (
        <TextField
          label="Id"
          description="Programs use it, and it cannot change: such as acme."
          value={id}
          onChange={(to) => edited(() => setId(to))}
          error={faults.id ?? errorAt(error, "id")}
          maxLength={63}
          autoFocus
        />
      ) : null}
      <TextField
        label="Name"
        value={name}
        onChange={(to) => edited(() => setName(to))}
        error={faults.name ?? errorAt(error, "name")}
        maxLength={100}
      />
      <TextField
        label="Domains"
        description="One per line, such as acme.com. People with an address of a domain become members when they sign in. Subdomains count only if they are listed."
        lines={4}
        value={text}
        onChange={(to) => edited(() => setText(to))}
        error={faults.domains ?? errorAt(error, "domains")}
      />
      {preview === null ? null : (
        <div className="note wait" role="alert">
          <p>
            <strong>This changes whose access the organisation gives:</strong>
          </p>
          {previewWords(preview).map((words) => (
            <p key={words}>{words}</p>
          ))}
        </div>
      )}
      {rest === null ? null : <ErrorNote error={rest} />}
      <div className="dialog-acts">
        {preview === null ? children : <Button onPress={() => setPreview(null)}>Do not save yet</Button>}
        <Button type="submit" look="primary" isPending={isPending}>
          {preview === null ? act : "Save with these changes"}
        </Button>
      </div>
    </form>
  );
}
