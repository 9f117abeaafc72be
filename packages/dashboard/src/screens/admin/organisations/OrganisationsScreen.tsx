import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Building2, Plus } from "lucide-react";
import { useState } from "react";
import { organisationsQuery } from "../../../api/admin.ts";
import { Button } from "../../../kit/Button.tsx";
import { Dialog } from "../../../kit/Dialog.tsx";
import { Empty } from "../../../kit/Empty.tsx";
import { Reading } from "../../../kit/Loading.tsx";
import { Screen } from "../../../kit/Screen.tsx";
import { toast } from "../../../kit/toasts.ts";
import { countOf } from "../../../kit/words.ts";
import { OrganisationForm } from "./OrganisationForm.tsx";
import { TenancyNote } from "./TenancyNote.tsx";

/** The number of domains that a row names. */
const NAMED = 8;

/** The organisations of the instance, and the domains whose people belong to them. */
export function OrganisationsScreen() {
  const query = useQuery(organisationsQuery);
  const { data: orgs } = query;
  const navigate = useNavigate();
  const [isNew, setNew] = useState(false);
  const add = (
    <Button look="primary" icon={<Plus aria-hidden />} onPress={() => setNew(true)}>
      New organisation
    </Button>
  );
  return (
    <Screen title="Organisations" acts={add}>
      <TenancyNote />
      <Reading query={query} what="the organisations" />
      {orgs?.length === 0 ? (
        <Empty icon={<Building2 aria-hidden />} title="There are no organisations">
          <p>
            People whose e-mail address has a domain of an organisation are its members, and can open what is
            shared with everyone in it.
          </p>
        </Empty>
      ) : null}
      <ul className="stack">
        {orgs?.map(({ id, name, domains, members }) => (
          <li key={id} className="card">
            <h2>
              <Link to="/admin/organisations/$orgId" params={{ orgId: id }}>
                <bdi>{name}</bdi>
              </Link>
            </h2>
            <p className="soft">
              {id} · {countOf(members, "member")}
            </p>
            <p className="soft small">
              {domains.length === 0
                ? "No domain: nobody is a member."
                : `${domains.slice(0, NAMED).join(", ")}${domains.length > NAMED ? ` and ${domains.length - NAMED} more` : ""}`}
            </p>
          </li>
        ))}
      </ul>
      <Dialog title="New organisation" isOpen={isNew} onClose={() => setNew(false)}>
        <OrganisationForm
          org={null}
          act="Add"
          onDone={({ id, name }) => {
            setNew(false);
            toast({ text: `Added ${name}.` });
            void navigate({ to: "/admin/organisations/$orgId", params: { orgId: id } });
          }}
        >
          <Button onPress={() => setNew(false)}>Cancel</Button>
        </OrganisationForm>
      </Dialog>
    </Screen>
  );
}
