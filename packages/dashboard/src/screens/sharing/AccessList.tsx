import { Link2, Users, X } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import type { Invitation } from "../../api/types.ts";
import { Badge } from "../../kit/Badge.tsx";
import { Button } from "../../kit/Button.tsx";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { Mark } from "../../kit/Mark.tsx";
import { Pager, pageOf } from "../../kit/Pager.tsx";
import { SearchField } from "../../kit/SearchField.tsx";
import { type Choice, Select } from "../../kit/Select.tsx";
import { Time } from "../../kit/Time.tsx";
import type { ListedRole } from "./changes.ts";
import { RenewLink } from "./RenewLink.tsx";
import { RevokeGuest } from "./RevokeGuest.tsx";
import type { Sharing } from "./useSharing.ts";

/** The number of entries above which the list can be filtered. */
const FILTERED = 10;

export const ROLES: Choice<ListedRole>[] = [
  { value: "viewer", label: "Viewer", description: "Opens the pages and uses them." },
  { value: "editor", label: "Editor", description: "Also changes files, settings and sharing." },
];

/** An entry of the list. `text` is what the filter looks at. */
type Entry = { key: string; text: string } & (
  | { kind: "team"; id: string; name: string; role: ListedRole }
  | { kind: "person"; email: string; name: string | null; role: ListedRole }
  | { kind: "guest"; guest: Invitation }
);

/** The owner, the teams, the people and the guests who have access. Long lists have pages and a filter. */
export function AccessList({ sharing }: { sharing: Sharing }) {
  const { canvas, terms, me, guests, invites, share, failure } = sharing;
  const [filter, setFilter] = useState("");
  const [page, setPage] = useState(0);
  const list = useRef<HTMLUListElement>(null);

  const entries: Entry[] = [
    ...terms.teams.map((team): Entry => ({ ...team, kind: "team", key: team.id, text: team.name })),
    ...terms.people.map(
      (person): Entry => ({
        ...person,
        kind: "person",
        key: person.email,
        text: `${person.name ?? ""} ${person.email}`,
      }),
    ),
    ...guests.map(
      (guest): Entry => ({ kind: "guest", key: guest.id, text: `${guest.name} ${guest.email}`, guest }),
    ),
  ];
  const wanted = filter.trim().toLowerCase();
  const found = wanted === "" ? entries : entries.filter(({ text }) => text.toLowerCase().includes(wanted));
  const shown = pageOf(found, page);

  /** Moves the focus from a row that goes to the one that takes its place, or to the list. */
  const leaveRow = (key: string) => {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
    const at = rows.findIndex((row) => row.dataset.row === key);
    const next = (rows[at + 1] ?? rows[at - 1])?.querySelector<HTMLElement>("[data-remove] button");
    (next ?? list.current)?.focus();
  };

  return (
    <>
      {entries.length > FILTERED ? (
        <SearchField
          label="Filter the list"
          value={filter}
          onChange={(text) => {
            setFilter(text);
            setPage(0);
          }}
        />
      ) : null}
      {failure?.place === "list" ? <ErrorNote error={failure.error} /> : null}
      {invites.error === null ? null : <ErrorNote error={invites.error} />}
      <ul className="access-list" aria-label="People, teams and guests with access" ref={list} tabIndex={-1}>
        <Row
          mark={<Mark id={canvas.owner.id} title={canvas.owner.name} />}
          name={canvas.owner.name}
          note={canvas.owner.email}
          isYou={canvas.owner.email === me.email}
        >
          <Badge look="plain">Owner</Badge>
        </Row>
        {shown.entries.map((entry) => {
          if (entry.kind === "guest") {
            const { guest } = entry;
            return (
              <Row
                key={entry.key}
                id={entry.key}
                mark={
                  <span className="access-kind">
                    <Link2 aria-hidden />
                  </span>
                }
                name={guest.name}
                note={guest.email}
                more={<LinkEnd at={guest.linkExpiresAt} />}
              >
                <Badge look="plain">Guest by link</Badge>
                {canvas.viewerRole === "owner" ? (
                  <>
                    <RenewLink canvas={canvas.id} guest={guest} />
                    <RevokeGuest canvas={canvas.id} guest={guest} onGone={() => leaveRow(entry.key)} />
                  </>
                ) : null}
              </Row>
            );
          }
          // People can have the same name, so the controls are labelled with the address.
          const label = entry.kind === "team" ? entry.name : entry.email;
          const name = entry.kind === "team" ? entry.name : (entry.name ?? entry.email);
          const set = (role: ListedRole | null) =>
            share(
              entry.kind === "team"
                ? { teams: [{ id: entry.id, name: entry.name, role }] }
                : { people: [{ email: entry.email, name: entry.name, role }] },
              "list",
            );
          return (
            <Row
              key={entry.key}
              id={entry.key}
              mark={
                entry.kind === "team" ? (
                  <span className="access-kind">
                    <Users aria-hidden />
                  </span>
                ) : (
                  <Mark id={entry.email} title={name} />
                )
              }
              name={name}
              note={entry.kind === "team" ? "Team" : entry.email}
              isYou={entry.kind === "person" && entry.email === me.email}
            >
              <Select
                label={`Role of ${label}`}
                hideLabel
                choices={ROLES}
                value={entry.role}
                onChange={(role) => {
                  if (role !== entry.role) set(role);
                }}
              />
              <span data-remove>
                <Button
                  look="quiet"
                  icon={<X aria-hidden />}
                  aria-label={`Remove ${label}`}
                  onPress={() => {
                    // A dialog that asks gives the focus back to the row.
                    if (!(entry.kind === "person" && entry.email === me.email)) leaveRow(entry.key);
                    set(null);
                  }}
                />
              </span>
            </Row>
          );
        })}
      </ul>
      {found.length === 0 && wanted !== "" ? (
        <p className="soft" role="status">
          Nobody on the list matches “<bdi>{filter.trim()}</bdi>”.
        </p>
      ) : null}
      <Pager {...shown} total={found.length} onPage={setPage} />
    </>
  );
}

/** Until when the link of a guest lets them in. */
const LinkEnd = ({ at }: { at: number }) => (
  <small className="soft">
    {at > Date.now() ? "Link valid until " : "Link expired on "}
    <Time at={at} as="day" />
  </small>
);

/** A row: who, and what they may. */
const Row = ({
  id,
  mark,
  name,
  note,
  more,
  isYou = false,
  children,
}: {
  id?: string;
  mark: ReactNode;
  name: string;
  note?: string | undefined;
  /** A second line of small text. */
  more?: ReactNode;
  isYou?: boolean;
  children: ReactNode;
}) => (
  <li className="access-row" data-row={id}>
    {mark}
    <span className="names">
      <span>
        <bdi>{name}</bdi>
        {isYou ? <span className="soft"> (you)</span> : null}
      </span>
      {note === undefined || note === name ? null : (
        <small className="soft">
          <bdi>{note}</bdi>
        </small>
      )}
      {more}
    </span>
    <span className="acts">{children}</span>
  </li>
);
