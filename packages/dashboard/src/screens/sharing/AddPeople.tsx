import { useQuery } from "@tanstack/react-query";
import { User, Users, X } from "lucide-react";
import { type ClipboardEvent, useRef, useState } from "react";
import type { FoundPerson, Team } from "../../api/types.ts";
import { type AddressFault, addressesIn } from "../../kit/addresses.ts";
import { Button } from "../../kit/Button.tsx";
import { ComboBox } from "../../kit/ComboBox.tsx";
import { Pager, pageOf } from "../../kit/Pager.tsx";
import { Select } from "../../kit/Select.tsx";
import { useSettled } from "../../kit/useSettled.ts";
import { ROLES } from "./AccessList.tsx";
import type { ListedRole } from "./changes.ts";
import { completionQuery, explanationQuery } from "./sharing-queries.ts";
import type { Sharing } from "./useSharing.ts";

/** Somebody who will get a role: a team, or a person, whose name is known if they were found. */
type Chosen = { kind: "team"; team: Team } | { kind: "person"; email: string; name: string | null };

const keyOf = (each: Chosen) => (each.kind === "team" ? `team ${each.team.id}` : `person ${each.email}`);
/** The number of typed addresses of which is asked whether somebody has signed in with them. */
const ASKED = 20;
/** The number of faults that are told in full. */
const TOLD = 3;

const faultWords = (faults: readonly AddressFault[]): string | null => {
  if (faults.length === 0) return null;
  const told = faults.slice(0, TOLD).map(({ text, why }) => `“${text}” ${why}`);
  return `${told.join("; ")}${faults.length > TOLD ? `; and ${faults.length - TOLD} more` : ""}.`;
};

interface Props {
  sharing: Sharing;
  /** The address of a person whom a link proposes. Nothing is shared until the caller does it. */
  proposed: string | null;
}

/** Adds people and teams: found while typing, typed or pasted as addresses, then shared with together. */
export function AddPeople({ sharing, proposed }: Props) {
  const { canvas, terms, share } = sharing;
  const has = (email: string) =>
    email === canvas.owner.email || terms.people.some((person) => person.email === email);
  const isProposed = proposed !== null && !has(proposed);
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<Chosen[]>(
    isProposed ? [{ kind: "person", email: proposed, name: null }] : [],
  );
  const [role, setRole] = useState<ListedRole>("viewer");
  const [faults, setFaults] = useState<AddressFault[]>([]);
  const [listed, setListed] = useState<string[]>(proposed === null || isProposed ? [] : [proposed]);
  const [page, setPage] = useState(0);
  const input = useRef<HTMLInputElement>(null);

  const q = useSettled(text.trim());
  const { data: found, isPlaceholderData } = useQuery(completionQuery(canvas.id, q));
  // What stays in the field after a fault is not searched for.
  const isIdle = text.trim() === "" || faults.length > 0;
  const taken = new Set([...chosen.map(keyOf), ...terms.teams.map(({ id }) => `team ${id}`)]);
  const proposals: Chosen[] =
    isIdle || found === undefined
      ? []
      : [
          ...found.people.map(({ email, name }: FoundPerson): Chosen => ({ kind: "person", email, name })),
          ...found.teams.map((team): Chosen => ({ kind: "team", team })),
        ].filter((each) => !taken.has(keyOf(each)));

  const isSearched = q === text.trim() && found !== undefined && !isPlaceholderData;
  const emptyWords = isIdle
    ? undefined
    : isSearched
      ? "Nobody found. Press Enter to take it as an address."
      : "Searching…";

  const type = (to: string) => {
    setText(to);
    setFaults([]);
    setListed([]);
  };

  /** Takes the addresses of a text. What is none stays in the field. Returns all who are chosen then, or null if something stayed. */
  const take = (given: string): Chosen[] | null => {
    const { emails, faults } = addressesIn(given);
    const fresh = emails.filter((email) => !has(email) && !taken.has(`person ${email}`));
    const all = [...chosen, ...fresh.map((email): Chosen => ({ kind: "person", email, name: null }))];
    setChosen(all);
    setListed(emails.filter(has));
    setFaults(faults);
    setText(faults.map(({ text }) => text).join(", "));
    return faults.length === 0 ? all : null;
  };

  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    const pasted = event.clipboardData.getData("text");
    // One address, or a part of one, is pasted as usual.
    if (addressesIn(pasted).emails.length < 2) return;
    event.preventDefault();
    take(`${text} ${pasted}`);
  };

  const send = () => {
    const all = take(text);
    if (all === null || all.length === 0) {
      input.current?.focus();
      return;
    }
    const people = all.flatMap((each) =>
      each.kind === "person" ? [{ email: each.email, name: each.name, role }] : [],
    );
    const teams = all.flatMap(({ ...each }) =>
      each.kind === "team" ? [{ id: each.team.id, name: each.team.name, role }] : [],
    );
    const change = { ...(people.length > 0 && { people }), ...(teams.length > 0 && { teams }) };
    share(change, "list", () => {
      setChosen([]);
      setListed([]);
      setPage(0);
    });
    input.current?.focus();
  };

  const shown = pageOf(chosen, page);
  const remove = (key: string) => {
    setChosen(chosen.filter((each) => keyOf(each) !== key));
    input.current?.focus();
  };
  const count = chosen.length + (addressesIn(text).emails.length === 1 && faults.length === 0 ? 1 : 0);
  return (
    <div className="add-people">
      <div className="add-fields">
        <ComboBox
          label="Add people and teams"
          placeholder="Name or e-mail address"
          description="Also several addresses at once, separated by commas, spaces or lines."
          error={faultWords(faults)}
          proposals={proposals.map((each) =>
            each.kind === "team"
              ? {
                  id: keyOf(each),
                  label: each.team.name,
                  description: `Team of ${each.team.members.length}`,
                  icon: <Users aria-hidden />,
                }
              : {
                  id: keyOf(each),
                  label: each.name ?? each.email,
                  description: each.email,
                  icon: <User aria-hidden />,
                },
          )}
          empty={emptyWords}
          text={text}
          onText={type}
          onChoose={(id) => {
            const each = proposals.find((proposal) => keyOf(proposal) === id);
            if (each !== undefined) setChosen([...chosen, each]);
            type("");
          }}
          onEnter={() => void (text.trim() === "" ? send() : take(text))}
          onPaste={paste}
          inputRef={input}
        />
        <Select label="As" choices={ROLES} value={role} onChange={setRole} />
        <Button look="primary" onPress={send}>
          {count > 1 ? `Share with ${count.toLocaleString("en")}` : "Share"}
        </Button>
      </div>
      <p className="small soft" role="status">
        {listed.length === 0
          ? ""
          : `Has access already: ${listed.slice(0, TOLD).join(", ")}${listed.length > TOLD ? ` and ${listed.length - TOLD} more` : ""}.`}
      </p>
      {chosen.some((each) => each.kind === "person" && each.email === proposed) ? (
        <p className="small">
          The link that you have opened proposes <bdi>{proposed}</bdi>. Share only if you know them.
        </p>
      ) : null}
      {chosen.length === 0 ? null : (
        <ul className="chosen" aria-label="Will get access">
          {shown.entries.map((each) => (
            <li key={keyOf(each)}>
              <span className="names">
                <bdi>{each.kind === "team" ? each.team.name : (each.name ?? each.email)}</bdi>
                {each.kind === "team" ? (
                  <small className="soft">Team of {each.team.members.length}</small>
                ) : each.name === null ? (
                  <FirstSignIn canvas={canvas.id} email={each.email} isAsked={chosen.indexOf(each) < ASKED} />
                ) : (
                  <small className="soft">
                    <bdi>{each.email}</bdi>
                  </small>
                )}
              </span>
              <Button
                look="quiet"
                icon={<X aria-hidden />}
                aria-label={`Leave out ${each.kind === "team" ? each.team.name : each.email}`}
                onPress={() => remove(keyOf(each))}
              />
            </li>
          ))}
        </ul>
      )}
      <Pager {...shown} total={chosen.length} onPage={setPage} />
      {chosen.length > ASKED ? (
        <p className="small soft">Those who have never signed in get access at the first sign-in.</p>
      ) : null}
    </div>
  );
}

/** Tells whom an address belongs to: somebody with a name, nobody yet, or nobody ever, because they may not sign in. */
function FirstSignIn({ canvas, email, isAsked }: { canvas: string; email: string; isAsked: boolean }) {
  const { data } = useQuery({ ...explanationQuery(canvas, { email }), enabled: isAsked });
  if (data === undefined) return null;
  const signIn = data.steps.find(({ rule }) => rule === "signed_in");
  const { kind, name } = data.subject;
  const words =
    signIn?.outcome === "refused"
      ? signIn.because
      : kind === "unknown"
        ? "Not known here yet: gets access at the first sign-in."
        : name;
  return words === null ? null : (
    <small className="soft">
      <bdi>{words}</bdi>
    </small>
  );
}
