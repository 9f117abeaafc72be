import { useMutation, useQuery } from "@tanstack/react-query";
import { User, UserPlus, X } from "lucide-react";
import { type ClipboardEvent, useRef, useState } from "react";
import type { Me } from "../../api/types.ts";
import { type AddressFault, addressesIn } from "../../kit/addresses.ts";
import { Button } from "../../kit/Button.tsx";
import { ComboBox } from "../../kit/ComboBox.tsx";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { Mark } from "../../kit/Mark.tsx";
import { Pager, pageOf } from "../../kit/Pager.tsx";
import { SearchField } from "../../kit/SearchField.tsx";
import { toast } from "../../kit/toasts.ts";
import { useSettled } from "../../kit/useSettled.ts";
import { countOf } from "../../kit/words.ts";
import { peopleQuery, type TeamDetails, teamsChanged, updateTeam } from "./team-queries.ts";

/** The number of members above which the list can be filtered. */
const FILTERED = 10;
/** The number of faults that are told in full. */
const TOLD = 3;

/** A change of the members. `said` tells it in the message that offers to undo it. */
interface Change {
  add?: string[];
  remove?: string[];
  said: string;
}

/** The members of a team. Its creator adds and removes them, each at once and with Undo. */
export function Members({ team, me, isCreator }: { team: TeamDetails; me: Me; isCreator: boolean }) {
  const [filter, setFilter] = useState("");
  const [page, setPage] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const change = useMutation({
    async mutationFn({ said, ...patch }: Change) {
      await updateTeam(team.id, patch);
      const undo = { add: patch.remove ?? [], remove: patch.add ?? [] };
      toast({
        text: said,
        act: {
          label: "Undo",
          run: () =>
            updateTeam(team.id, undo)
              .catch((error) => toast({ text: `It could not be undone. ${(error as Error).message}` }))
              .finally(teamsChanged),
        },
      });
    },
    onSettled: teamsChanged,
  });

  const wanted = filter.trim().toLowerCase();
  const found = team.people.filter(({ email, name }) =>
    `${name ?? ""} ${email}`.toLowerCase().includes(wanted),
  );
  const shown = pageOf(found, page);

  /** Removes a member, and moves the focus to the row that takes its place, or to the list. */
  const remove = (email: string, name: string | null) => {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
    const at = rows.findIndex((row) => row.dataset.row === email);
    const next = (rows[at + 1] ?? rows[at - 1])?.querySelector<HTMLElement>("button");
    (next ?? list.current)?.focus();
    change.mutate({ remove: [email], said: `Removed ${name ?? email}.` });
  };

  return (
    <section className="card stack members" aria-labelledby="members">
      <h2 id="members">{countOf(team.people.length, "member")}</h2>
      {isCreator ? (
        <AddMembers team={team} me={me} isPending={change.isPending} onChange={change.mutateAsync} />
      ) : null}
      {change.error === null ? null : <ErrorNote error={change.error} />}
      {team.people.length > FILTERED ? (
        <SearchField
          label="Filter the members"
          value={filter}
          onChange={(text) => {
            setFilter(text);
            setPage(0);
          }}
        />
      ) : null}
      {team.people.length === 0 ? (
        <p className="soft">
          {team.externalGroup === null
            ? "Nobody yet. Members can open the canvases that are shared with the team."
            : "Nobody of the group has signed in yet."}
        </p>
      ) : null}
      <ul ref={list} tabIndex={-1} aria-label="Members" className="member-list">
        {shown.entries.map(({ email, name }) => (
          <li key={email} data-row={email} className="person-row">
            <Mark id={email} title={name ?? email} />
            <span className="names">
              <span>
                <bdi>{name ?? email}</bdi>
                {email === me.email ? <span className="soft"> (you)</span> : null}
              </span>
              <small className="soft">
                {name === null ? "Has not signed in yet" : <bdi>{email}</bdi>}
                {email === team.creator.email ? " · made the team" : ""}
              </small>
            </span>
            {/* A person who removes themself is asked, below. */}
            {isCreator && email !== me.email ? (
              <Button
                look="quiet"
                icon={<X aria-hidden />}
                aria-label={`Remove ${email}`}
                isPending={change.isPending}
                onPress={() => remove(email, name)}
              />
            ) : null}
          </li>
        ))}
      </ul>
      {found.length === 0 && wanted !== "" ? (
        <p className="soft" role="status">
          No member matches “<bdi>{filter.trim()}</bdi>”.
        </p>
      ) : null}
      <Pager {...shown} total={found.length} onPage={setPage} />
    </section>
  );
}

const faultWords = (faults: readonly AddressFault[]): string | null => {
  if (faults.length === 0) return null;
  const told = faults.slice(0, TOLD).map(({ text, why }) => `“${text}” ${why}`);
  return `${told.join("; ")}${faults.length > TOLD ? `; and ${faults.length - TOLD} more` : ""}.`;
};

/** Adds people who are found while typing, and addresses that are typed or pasted. */
function AddMembers({
  team,
  me,
  isPending,
  onChange,
}: {
  team: TeamDetails;
  me: Me;
  isPending: boolean;
  onChange: (change: Change) => Promise<void>;
}) {
  const [text, setText] = useState("");
  const [faults, setFaults] = useState<AddressFault[]>([]);
  const [note, setNote] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const q = useSettled(text.trim());
  const { data: found, isPlaceholderData } = useQuery(peopleQuery(q));
  const isIdle = text.trim() === "" || faults.length > 0;
  const isSearched = q === text.trim() && found !== undefined && !isPlaceholderData;
  const proposals = (isIdle ? [] : (found ?? [])).filter(({ email }) => !team.members.includes(email));

  const type = (to: string) => {
    setText(to);
    setFaults([]);
    setNote("");
  };

  /** Adds those who are no members yet. The field keeps what is no address, and all of it after a failure. */
  const add = async (emails: string[], name: string | null = null, left: AddressFault[] = []) => {
    const fresh = emails.filter((email) => !team.members.includes(email));
    const given = text;
    setText(left.map(({ text }) => text).join(", "));
    setFaults(left);
    setNote(fresh.length < emails.length ? "People who are members already were left out." : "");
    input.current?.focus();
    if (fresh.length === 0) return;
    const said =
      fresh.length === 1 ? `Added ${name ?? fresh[0]}.` : `Added ${countOf(fresh.length, "member")}.`;
    await onChange({ add: fresh, said }).catch(() => setText(given));
  };
  const take = (given: string) => {
    const { emails, faults } = addressesIn(given);
    if (emails.length + faults.length > 0) void add(emails, null, faults);
    else input.current?.focus();
  };
  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    const pasted = event.clipboardData.getData("text");
    // One address, or a part of one, is pasted as usual.
    if (addressesIn(pasted).emails.length < 2) return;
    event.preventDefault();
    take(`${text} ${pasted}`);
  };

  return (
    <div className="add-members">
      <div className="add-fields">
        <ComboBox
          label="Add members"
          placeholder="Name or e-mail address"
          description="Also several addresses at once, separated by commas, spaces or lines."
          error={faultWords(faults)}
          proposals={proposals.map(({ email, name }) => ({
            id: email,
            label: name,
            description: email,
            icon: <User aria-hidden />,
          }))}
          empty={
            isIdle
              ? undefined
              : isSearched
                ? "Nobody found. Press Enter to take it as an address."
                : "Searching…"
          }
          text={text}
          onText={type}
          onChoose={(email) => {
            const chosen = proposals.find((each) => each.email === email);
            if (chosen !== undefined) void add([email], chosen.name);
          }}
          onEnter={() => take(text)}
          onPaste={paste}
          inputRef={input}
        />
        <Button look="primary" isPending={isPending} onPress={() => take(text)}>
          Add
        </Button>
      </div>
      <p className="small soft" role="status">
        {note}
      </p>
      {team.members.includes(me.email) ? null : (
        <div>
          <Button
            look="quiet"
            icon={<UserPlus aria-hidden />}
            onPress={() => {
              input.current?.focus();
              void onChange({ add: [me.email], said: "You are a member now." }).catch(() => {});
            }}
          >
            Add yourself
          </Button>
        </div>
      )}
    </div>
  );
}
