import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Users } from "lucide-react";
import { peopleQuery } from "../../../api/admin.ts";
import type { AdminUser } from "../../../api/types.ts";
import { Badge } from "../../../kit/Badge.tsx";
import { Button } from "../../../kit/Button.tsx";
import type { GridColumn } from "../../../kit/DataGrid.tsx";
import { Empty } from "../../../kit/Empty.tsx";
import { Screen } from "../../../kit/Screen.tsx";
import { Time } from "../../../kit/Time.tsx";
import { countOf } from "../../../kit/words.ts";
import { AdminList } from "../AdminList.tsx";
import type { PeopleSearch } from "../search.ts";
import { AddPerson } from "./AddPerson.tsx";

const FILTERS = [
  { value: "", label: "Everyone" },
  { value: "active", label: "Active" },
  { value: "deactivated", label: "Deactivated" },
  { value: "ownersDeactivated", label: "Deactivated, and owns canvases" },
  { value: "quotasNear", label: "Near a quota" },
  { value: "quotasOwn", label: "Has quotas of their own" },
] as const;

const COLUMNS: readonly GridColumn[] = [
  { id: "name", label: "Name" },
  { id: "email", label: "E-mail address" },
  { id: "state", label: "State", width: 9 },
  { id: "seen", label: "Last seen", width: 10 },
  { id: "canvases", label: "Canvases", width: 7, align: "end" },
];

const State = ({ person }: { person: AdminUser }) =>
  person.deactivatedAt !== null ? (
    <Badge look="bad">Deactivated</Badge>
  ) : person.isAdmin ? (
    <Badge look="good">Administrator</Badge>
  ) : (
    <span className="soft">Active</span>
  );

const Seen = ({ at }: { at: number | null }) =>
  at === null ? <span className="soft">Not recorded</span> : <Time at={at} />;

function cell(person: AdminUser, column: string) {
  switch (column) {
    case "name":
      return <bdi>{person.name}</bdi>;
    case "email":
      return <bdi>{person.email}</bdi>;
    case "state":
      return <State person={person} />;
    case "seen":
      return <Seen at={person.lastSeenAt} />;
    default:
      return person.canvases;
  }
}

const card = (person: AdminUser) => (
  <div className="admin-card">
    <strong>
      <bdi>{person.name}</bdi>
    </strong>
    <bdi className="small soft">{person.email}</bdi>
    <span className="row small soft">
      <State person={person} />
      <span>{countOf(person.canvases, "canvas", "canvases")}</span>
    </span>
  </div>
);

const usersOf = ({ users }: { users: AdminUser[] }) => users;

/** Everyone who has signed in: searched and filtered by the address, the newest first. */
export function PeopleScreen() {
  const search = useSearch({ from: "/admin/people" });
  const navigate = useNavigate();
  const query = useInfiniteQuery(peopleQuery(search));
  const change = (to: PeopleSearch) =>
    void navigate({ to: "/admin/people", search: to, replace: true, resetScroll: false });
  return (
    <Screen title="People" acts={<AddPerson />}>
      <AdminList
        what="People"
        searchLabel="Search names and addresses"
        search={search}
        onSearch={(to) => change(to as PeopleSearch)}
        filters={FILTERS}
        query={query}
        rowsOf={usersOf}
        columns={COLUMNS}
        cell={cell}
        card={card}
        textOf={({ name, email }) => `${name}, ${email}`}
        onOpen={({ id }) => void navigate({ to: "/admin/people/$userId", params: { userId: id } })}
        empty={
          <Empty
            icon={<Users aria-hidden />}
            title="Nobody is found"
            acts={<Button onPress={() => change({})}>Show everyone</Button>}
          >
            <p>
              No name or address has this text, or the filter hides it. People appear when they sign in, or
              when you add them.
            </p>
          </Empty>
        }
      />
    </Screen>
  );
}
