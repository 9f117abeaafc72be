import { useState } from "react";
import { FOUND, foundPeopleQuery } from "../../../../api/admin.ts";
import { queries } from "../../../../api/queries.ts";
import type { AdminPerson, Handover } from "../../../../api/types.ts";
import { Button } from "../../../../kit/Button.tsx";
import { Choices } from "../../../../kit/Choices.tsx";
import { TextField } from "../../../../kit/Field.tsx";
import { FocusedHeading } from "../../../../kit/FocusedHeading.tsx";
import { NativeSelect } from "../../../../kit/NativeSelect.tsx";
import { Toggle } from "../../../../kit/Toggle.tsx";
import { countOf } from "../../../../kit/words.ts";
import { credentialWords } from "../credentials.ts";
import { PersonComboBox } from "../PersonComboBox.tsx";
import { type Choice, editorsFirst, editorsOf } from "./plan.ts";

/**
 * Whether an active member has this address, as far as the list of people says. If it cannot be read or has too many who are alike, the
 * handover finds out.
 */
async function isActive(email: string): Promise<boolean> {
  try {
    const found = await queries.fetchQuery(foundPeopleQuery(email));
    return found.length >= FOUND || found.some((person) => person.email === email);
  } catch {
    return true;
  }
}

/** The second step: who takes what. Editors are offered first, because they know the canvas. */
export function Receivers({
  person,
  owned: { canvases, teams, guests },
  choice,
  onOthers,
  onTeams,
  deactivates,
  onDeactivates,
  endsGuests,
  onEndsGuests,
  reason,
  onReason,
  onBack,
  onNext,
}: {
  person: AdminPerson;
  owned: Handover;
  choice: Choice;
  onOthers: (others: Choice["others"]) => void;
  onTeams: (to: boolean) => void;
  deactivates: boolean;
  /** Null if the person cannot be deactivated. */
  onDeactivates: ((to: boolean) => void) | null;
  endsGuests: boolean;
  onEndsGuests: (to: boolean) => void;
  reason: string;
  onReason: (reason: string) => void;
  onBack: () => void;
  onNext: (to: string) => void;
}) {
  const [to, setTo] = useState(choice.to);
  const [mode, setMode] = useState<"one" | "each">(Object.keys(choice.others).length > 0 ? "each" : "one");
  const [other, setOther] = useState("");
  const [added, setAdded] = useState<readonly string[]>([]);
  const [fault, setFault] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(false);
  const editors = editorsOf(canvases);
  const credentials = credentialWords(person);
  const receiver = to.trim().toLowerCase();

  const chooseMode = (next: "one" | "each") => {
    setMode(next);
    onOthers(next === "each" ? editorsFirst(canvases) : {});
  };
  const isNeeded =
    (teams.length > 0 && choice.teams) || canvases.some(({ id }) => choice.others[id] === undefined);
  const next = async () => {
    const why =
      receiver === "" && !isNeeded
        ? null
        : !/^[^\s@]+@[^\s@]+$/.test(receiver)
          ? "Enter the e-mail address of the person who takes it."
          : receiver === person.email
            ? "Choose somebody else: they leave."
            : null;
    setFault(why);
    if (why !== null || isAsking) return;
    setAsking(true);
    const isKnown = receiver === "" || (await isActive(receiver));
    setAsking(false);
    if (isKnown) onNext(receiver);
    else setFault("Nobody who is active has signed in with this address.");
  };
  return (
    <>
      <FocusedHeading id="step">Who takes it?</FocusedHeading>
      {canvases.length < 2 ? null : (
        <Choices
          label="Canvases go to"
          value={mode}
          onChange={chooseMode}
          choices={[
            { value: "one", label: "One person", description: "Everything has the same new owner." },
            {
              value: "each",
              label: "Somebody for each canvas",
              description: "An editor of each is proposed. What nobody edits goes to the person below.",
            },
          ]}
        />
      )}
      <PersonComboBox
        label={mode === "one" ? "New owner" : "Takes the rest"}
        description="A member who has signed in. What they take counts toward their quotas."
        first={editors.map(({ email, canvases: count }) => ({
          email,
          why: `Edits ${count} of ${countOf(canvases.length, "canvas", "canvases")}`,
        }))}
        without={[person.email]}
        text={to}
        onText={(text) => {
          setTo(text);
          setFault(null);
        }}
        onEnter={next}
        error={fault}
      />
      {mode === "one" ? null : (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
          <ul className="owned" tabIndex={0} aria-label="New owner of each canvas">
            {canvases.map(({ id, title, editors }) => (
              <li key={id}>
                <strong>
                  <bdi>{title}</bdi>
                </strong>
                <NativeSelect
                  hideLabel
                  label={`New owner of ${title}`}
                  value={choice.others[id] ?? ""}
                  choices={[
                    { value: "", label: "The person who takes the rest" },
                    ...[...new Set([...editors, ...added])].map((email) => ({
                      value: email,
                      label: editors.includes(email) ? `${email} (editor)` : email,
                    })),
                  ]}
                  onChange={(email) => {
                    const { [id]: _, ...rest } = choice.others;
                    onOthers(email === "" ? rest : { ...rest, [id]: email });
                  }}
                />
              </li>
            ))}
          </ul>
          <div className="row">
            <PersonComboBox
              label="Offer another person"
              without={[person.email]}
              text={other}
              onText={setOther}
              onEnter={() => {
                const email = other.trim().toLowerCase();
                if (!email.includes("@")) return;
                setAdded([...added, email]);
                setOther("");
              }}
              description="Press Enter to add them to the choices above."
            />
          </div>
        </>
      )}
      {teams.length === 0 ? null : (
        <Toggle isSelected={choice.teams} onChange={onTeams}>
          Also give {countOf(teams.length, "team")} to{" "}
          {mode === "one" ? "the new owner" : "the person who takes the rest"}
        </Toggle>
      )}
      {onDeactivates === null ? null : (
        <Toggle
          isSelected={deactivates}
          onChange={onDeactivates}
          description={`${credentials === "" ? "" : `This ends ${credentials} for good. `}Deactivating itself can be undone.`}
        >
          Deactivate them once they own nothing
        </Toggle>
      )}
      {guests === 0 ? null : (
        <Toggle
          isSelected={endsGuests}
          onChange={onEndsGuests}
          description="They lose access at once, and their links do not work any more. This cannot be undone. Otherwise they keep access, as guests of the new owner."
        >
          End the access of {countOf(guests, "guest")} whom they invited
        </Toggle>
      )}
      <TextField
        label="Reason (optional)"
        description="Only the audit log shows it."
        value={reason}
        onChange={onReason}
        maxLength={500}
      />
      <div className="row">
        <Button onPress={onBack}>Back</Button>
        <Button look="primary" isPending={isAsking} onPress={next}>
          Next: what will happen
        </Button>
      </div>
    </>
  );
}
