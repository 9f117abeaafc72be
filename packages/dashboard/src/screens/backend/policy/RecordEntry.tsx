import { LIMITS } from "@easel/protocol/limits";
import {
  AUDIENCES,
  type CollectionPolicy,
  isResourceName,
  type Operation,
  type Overrides,
  type PolicyAudience,
  type PolicyRight,
  PRESETS,
  type Preset,
  type RecordPolicy,
  RIGHTS,
} from "@easel/protocol/policy";
import { Check, Minus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../kit/Button.tsx";
import { TextField } from "../../../kit/Field.tsx";
import { type Choice, Select } from "../../../kit/Select.tsx";
import { Disclosure } from "./Disclosure.tsx";
import { presetRight, withField, withPhase, withPreset, withRight } from "./document.ts";
import {
  furtherSentencesOf,
  inPhase,
  OPERATION_NAMES,
  operationsOf,
  type Reach,
  RIGHT_NAMES,
  reachOf,
  sentenceOf,
  sentencesOf,
  type Thing,
} from "./sentences.ts";

type Section = "collections" | "fileGroups";

/** The presets, each with what it means. */
export const presetChoices = (thing: Thing): Choice<Preset>[] =>
  (Object.keys(PRESETS) as Preset[]).map((preset) => ({
    value: preset,
    label: preset,
    description: sentencesOf({ preset }, thing).join(" "),
  }));

/** The rights that an operation can have: creating does not depend on who is the author. */
const rightsFor = (operation: Operation): readonly PolicyRight[] =>
  operation === "create" ? AUDIENCES : (Object.keys(RIGHTS) as PolicyRight[]);

/** A collection or a file group: its rights in sentences, and each of them as a choice. */
export function RecordEntry({
  section,
  name,
  entry,
  onChange,
}: {
  section: Section;
  name: string;
  entry: RecordPolicy & CollectionPolicy;
  onChange: ((entry: RecordPolicy) => void) | null;
}) {
  const thing: Thing = section === "collections" ? "records" : "files";
  const isChanged = entry.overrides !== undefined && Object.keys(entry.overrides).length > 0;
  const choices = presetChoices(thing).map((choice) =>
    choice.value === entry.preset && isChanged
      ? { ...choice, label: `${choice.label}, changed`, description: sentencesOf(entry, thing).join(" ") }
      : choice,
  );
  const change = onChange ?? (() => {});
  const phases = Object.keys(entry.phases ?? {});
  return (
    <>
      <p>{[...sentencesOf(entry, thing), ...furtherSentencesOf(entry)].join(" ")}</p>
      {phases.map((phase) => (
        <p key={phase} className="small soft">
          While the phase <bdi>“{phase}”</bdi> lasts: {sentencesOf(inPhase(entry, phase), thing).join(" ")}
        </p>
      ))}
      <div className="row">
        <Select
          label={`Preset of ${name}`}
          hideLabel
          choices={choices}
          value={entry.preset}
          isDisabled={onChange === null}
          onChange={(preset) => change(withPreset(entry, preset))}
        />
        {isChanged ? (
          <Button
            look="quiet"
            isDisabled={onChange === null}
            onPress={() => change(withPreset(entry, entry.preset))}
          >
            As the preset says
          </Button>
        ) : null}
      </div>
      <Disclosure summary="Single rights" of={name}>
        {() => (
          <>
            <RightsTable
              name={name}
              thing={thing}
              entry={entry}
              isDisabled={onChange === null}
              chosenOf={(operation) => entry.overrides?.[operation] ?? presetRight(entry, operation)}
              choicesOf={(operation) =>
                rightsFor(operation).map((right) => ({
                  value: right,
                  label: RIGHT_NAMES[right],
                  ...(right === presetRight(entry, operation) && {
                    description: `As ${entry.preset} has it`,
                  }),
                }))
              }
              onChoose={(operation, right) => change(withRight(entry, operation, right))}
            />
            {section === "collections" ? (
              <CollectionFields name={name} entry={entry} onChange={onChange} />
            ) : null}
          </>
        )}
      </Disclosure>
      <Disclosure summary={phases.length === 0 ? "Phases" : `Phases (${phases.length})`} of={name}>
        {() => (
          <>
            <Phases name={name} thing={thing} entry={entry} onChange={onChange} />
          </>
        )}
      </Disclosure>
    </>
  );
}

/** Whether somebody can do it: authors, the owner and editors, everyone. */
const CELLS = {
  author: (reach: Reach) => reach !== "own_of_editors" && RIGHTS[reach].author,
  managers: (reach: Reach) => reach !== "own_of_editors" && RIGHTS[reach].managers,
  everyone: (reach: Reach) => reach !== "own_of_editors" && RIGHTS[reach].everyone,
};

/** A table of the operations of an entry: the right of each, and the roles that it admits. */
function RightsTable<Value extends string>({
  name,
  thing,
  entry,
  isDisabled,
  chosenOf,
  choicesOf,
  onChoose,
}: {
  name: string;
  thing: Thing;
  entry: RecordPolicy;
  isDisabled: boolean;
  chosenOf: (operation: Operation) => Value;
  choicesOf: (operation: Operation) => Choice<Value>[];
  onChoose: (operation: Operation, value: Value) => void;
}) {
  const reach = reachOf(entry);
  return (
    <table className="rights" aria-label={`Who may do what with the ${thing} of ${name}`}>
      <thead>
        <tr>
          <th scope="col">Who may</th>
          <th scope="col" className="who">
            Author
          </th>
          <th scope="col" className="who">
            Owner, editors
          </th>
          <th scope="col" className="who">
            Everyone
          </th>
        </tr>
      </thead>
      <tbody>
        {operationsOf(thing).map((operation) => (
          <tr key={operation}>
            <th scope="row">
              <div className="right-cell">
                <span className="right">
                  <span>{OPERATION_NAMES[thing][operation]}</span>
                  <Select
                    label={`Who may: ${OPERATION_NAMES[thing][operation]}, ${name}`}
                    hideLabel
                    choices={choicesOf(operation)}
                    value={chosenOf(operation)}
                    isDisabled={isDisabled}
                    onChange={(to) => onChoose(operation, to)}
                  />
                </span>
                <small className="soft">{sentenceOf(entry, operation, thing)}</small>
              </div>
            </th>
            {Object.entries(CELLS).map(([who, may]) => (
              <td key={who} className="who">
                {may(reach[operation]) ? <Check aria-hidden /> : <Minus aria-hidden />}
                <span className="hidden-text">{may(reach[operation]) ? "yes" : "no"}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const COUNTING: readonly Choice<PolicyAudience | "">[] = [
  { value: "", label: "Not set", description: "Counts have only what somebody can read" },
  ...AUDIENCES.map((audience) => ({ value: audience, label: RIGHT_NAMES[audience] })),
];

const FIELD = /^(authorId|value\..{1,80})$/;

/** What a collection has besides rights: who counts all records, and by which fields records differ. */
function CollectionFields({
  name,
  entry,
  onChange,
}: {
  name: string;
  entry: CollectionPolicy;
  onChange: ((entry: CollectionPolicy) => void) | null;
}) {
  const { unique } = entry;
  const stored = (unique ?? []).join(", ");
  const [typed, setTyped] = useState<string | null>(null);
  const fields = (typed ?? stored)
    .split(",")
    .map((field) => field.trim())
    .filter((field) => field !== "");
  const fault =
    typed === null || fields.length === 0
      ? null
      : fields.length > LIMITS.uniqueFields.value
        ? `At most ${LIMITS.uniqueFields.value} fields.`
        : new Set(fields).size < fields.length
          ? "A field is named twice."
          : !fields.every((field) => FIELD.test(field) && field.isWellFormed())
            ? "Each is authorId, or value. and the name of a field."
            : null;
  const commit = () => {
    if (typed === null || fault !== null) return;
    setTyped(null);
    if (fields.join(", ") !== stored)
      onChange?.(withField(entry, "unique", fields.length === 0 ? undefined : fields));
  };
  // Such a name cannot be written between commas.
  const isTextual = (unique ?? []).every((field) => !field.includes(",") && field.trim() === field);
  return (
    <div className="collection-fields">
      <Select
        label="Who counts all records"
        choices={COUNTING}
        value={entry.aggregateCount ?? ""}
        isDisabled={onChange === null}
        onChange={(to) => onChange?.(withField(entry, "aggregateCount", to === "" ? undefined : to))}
      />
      {isTextual ? (
        <TextField
          label="No two records with the same"
          aria-description={name}
          value={typed ?? stored}
          isDisabled={onChange === null}
          onChange={setTyped}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === "Enter") commit();
            else event.continuePropagation();
          }}
          error={fault}
          placeholder="authorId, value.card"
          description="authorId or value.{field}, separated by commas. Empty for no limit."
        />
      ) : (
        <p className="small soft">The fields by which records differ are changed in the document.</p>
      )}
    </div>
  );
}

/** A right of a phase, or that of the entry itself. */
type PhaseRight = PolicyRight | "as_otherwise";

/** The phases of an entry: the rights that replace others while each lasts. */
function Phases({
  name,
  thing,
  entry,
  onChange,
}: {
  name: string;
  thing: Thing;
  entry: RecordPolicy;
  onChange: ((entry: RecordPolicy) => void) | null;
}) {
  const [added, setAdded] = useState("");
  const [fault, setFault] = useState<string | null>(null);
  const phases = Object.entries(entry.phases ?? {});
  const add = () => {
    const phase = added.trim();
    if (!isResourceName(phase)) setFault("1 to 80 letters, digits, dots, colons, underscores or hyphens.");
    else if (phases.some(([known]) => known === phase)) setFault("There is such a phase already.");
    else {
      setFault(null);
      setAdded("");
      onChange?.(withPhase(entry, phase, {}));
    }
  };
  return (
    <div className="stack phases">
      <p className="small soft">
        The owner or an editor switches to a phase from the page, such as when answers are revealed. What is
        not set stays as otherwise.
      </p>
      {phases.map(([phase, rights]) => (
        <div key={phase} className="phase">
          <div className="entry-head">
            <h5>
              <bdi>{phase}</bdi>
            </h5>
            <Button
              look="quiet"
              icon={<Trash2 aria-hidden />}
              aria-label={`Remove the phase ${phase} of ${name}`}
              isDisabled={onChange === null}
              onPress={() => onChange?.(withPhase(entry, phase, undefined))}
            />
          </div>
          <RightsTable<PhaseRight>
            name={`${name}, phase ${phase}`}
            thing={thing}
            entry={inPhase(entry, phase)}
            isDisabled={onChange === null}
            chosenOf={(operation) => rights[operation] ?? "as_otherwise"}
            choicesOf={(operation) => [
              { value: "as_otherwise", label: "As otherwise" },
              ...rightsFor(operation).map((right) => ({ value: right, label: RIGHT_NAMES[right] })),
            ]}
            onChoose={(operation, right) => {
              const { [operation]: _, ...others } = rights;
              const next = right === "as_otherwise" ? others : { ...rights, [operation]: right };
              onChange?.(withPhase(entry, phase, next as Overrides));
            }}
          />
        </div>
      ))}
      {phases.length < LIMITS.policyPhases.value ? (
        <form
          className="row add-phase"
          onSubmit={(event) => {
            event.preventDefault();
            add();
          }}
        >
          <TextField
            label="New phase"
            value={added}
            onChange={setAdded}
            error={fault}
            isDisabled={onChange === null}
            placeholder="revealed"
            autoComplete="off"
          />
          <Button type="submit" isDisabled={onChange === null}>
            Add the phase
          </Button>
        </form>
      ) : null}
    </div>
  );
}
