import { LIMITS } from "@easel/protocol/limits";
import { isResourceName, type Preset, type RuntimePolicy } from "@easel/protocol/policy";
import { DEFAULT_CHANNEL_POLICY } from "@easel/protocol/realtime";
import { useState } from "react";
import type { Canvas } from "../../../api/types.ts";
import { Button } from "../../../kit/Button.tsx";
import { Choices } from "../../../kit/Choices.tsx";
import { Dialog } from "../../../kit/Dialog.tsx";
import { TextField } from "../../../kit/Field.tsx";
import { Select } from "../../../kit/Select.tsx";
import { type Entry, type EntryName, entryIn, type Section, withEntry } from "./document.ts";
import { presetChoices } from "./RecordEntry.tsx";

const KINDS = [
  { value: "collections", label: "Collection", description: "Records of JSON, each with its author" },
  { value: "fileGroups", label: "File group", description: "Files that belong together" },
  { value: "channels", label: "Channel", description: "Live messages under a name" },
  { value: "connections", label: "Connection", description: "Who uses one external API" },
] as const satisfies readonly { value: Section; label: string; description: string }[];

/** The preset that is offered first. */
const START = {
  read_only: "managed",
  participation: "contributions",
  collaboration: "collaborative",
} as const;

/** The form for a new entry. */
export function AddEntry({
  isOpen,
  onClose,
  ...form
}: {
  isOpen: boolean;
  onClose: () => void;
  policy: RuntimePolicy;
  canvas: Canvas;
  /** The entry that is offered first. */
  first: EntryName | null;
  onAdd: (policy: RuntimePolicy) => void;
}) {
  return (
    <Dialog title="Add to the policy" isOpen={isOpen} onClose={onClose}>
      <Form {...form} onClose={onClose} />
    </Dialog>
  );
}

function Form({
  policy,
  canvas,
  first,
  onAdd,
  onClose,
}: {
  policy: RuntimePolicy;
  canvas: Canvas;
  first: EntryName | null;
  onAdd: (policy: RuntimePolicy) => void;
  onClose: () => void;
}) {
  const [section, setSection] = useState<Section>(first?.section ?? "collections");
  const [typed, setTyped] = useState(first?.name ?? "");
  const [preset, setPreset] = useState<Preset>(START[policy.defaultMode ?? "participation"]);
  const [fault, setFault] = useState<string | null>(null);
  const add = () => {
    const name = typed.trim();
    const most = LIMITS.policyEntries.value;
    if (!isResourceName(name))
      setFault("1 to 80 letters, digits, dots, colons, underscores or hyphens, a letter or digit first.");
    else if (entryIn(policy, { section, name }) !== undefined)
      setFault("The policy has an entry of this name already.");
    else if (Object.keys(policy[section] ?? {}).length >= most)
      setFault(`There are at most ${most} entries of a kind.`);
    else {
      const entry: Entry =
        section === "channels"
          ? DEFAULT_CHANNEL_POLICY
          : section === "connections"
            ? { audience: canvas.capabilities.connectionsAudience }
            : { preset };
      onAdd(withEntry(policy, { section, name }, entry));
      onClose();
    }
  };
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <Select label="Kind" choices={KINDS} value={section} onChange={setSection} />
      <TextField
        label="Name"
        value={typed}
        onChange={setTyped}
        error={fault}
        autoFocus
        autoComplete="off"
        spellCheck="false"
        description="As the code of the page calls it."
      />
      {section === "collections" || section === "fileGroups" ? (
        <Choices
          label="Who may do what"
          choices={presetChoices(section === "collections" ? "records" : "files").map((each) => ({
            description: "",
            ...each,
          }))}
          value={preset}
          onChange={setPreset}
        />
      ) : null}
      <div className="dialog-acts">
        <Button onPress={onClose}>Cancel</Button>
        <Button look="primary" type="submit">
          Add
        </Button>
      </div>
    </form>
  );
}
