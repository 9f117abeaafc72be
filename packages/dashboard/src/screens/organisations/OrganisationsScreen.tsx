import { useQuery } from "@tanstack/react-query";
import { Building2 } from "lucide-react";
import { organisationsQuery } from "../../api/admin.ts";
import { Empty } from "../../kit/Empty.tsx";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { Loading } from "../../kit/Loading.tsx";
import { Screen } from "../../kit/Screen.tsx";
import { countOf } from "../../kit/words.ts";

/** The organisations of the instance, and the domains whose people belong to them. */
export function OrganisationsScreen() {
  const { data: orgs, error } = useQuery(organisationsQuery);
  return (
    <Screen title="Organisations">
      {error === null ? null : <ErrorNote error={error} />}
      {orgs === undefined && error === null ? <Loading what="the organisations" /> : null}
      {orgs?.length === 0 ? (
        <Empty icon={<Building2 aria-hidden />} title="There are no organisations">
          <p>People whose e-mail address has a domain of an organisation are its members.</p>
        </Empty>
      ) : null}
      <ul className="stack">
        {orgs?.map(({ id, name, domains, members }) => (
          <li key={id} className="card">
            <h2>
              <bdi>{name}</bdi>
            </h2>
            <p className="soft">
              {id} · {countOf(members, "member")}
            </p>
            <p>
              <bdi>{domains.join(", ")}</bdi>
            </p>
          </li>
        ))}
      </ul>
    </Screen>
  );
}
