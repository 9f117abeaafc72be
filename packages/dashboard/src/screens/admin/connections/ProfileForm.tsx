import { useMutation } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { type FormEvent, type ReactNode, useState } from "react";
import { adminChanged, putConnection } from "../../../api/admin.ts";
import { errorAt, errorElsewhere } from "../../../api/field-errors.ts";
import type { ConnectionProfile } from "../../../api/types.ts";
import { Button } from "../../../kit/Button.tsx";
import { Checks } from "../../../kit/Checks.tsx";
import { Choices } from "../../../kit/Choices.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { TextField } from "../../../kit/Field.tsx";
import { Toggle } from "../../../kit/Toggle.tsx";
import { listOf } from "../../../kit/words.ts";
import {
  bodyOfDraft,
  type Draft,
  draftOf,
  type Faults,
  faultsOf,
  type HeaderChoice,
  METHODS,
} from "./profile.ts";

const FIELDS = ["profile", "origin", "methods", "requestHeaders", "headers"];

/** The fields of a profile. `profile` is null for a new one, which also has a name. Values of headers are entered, and never shown again. */
export function ProfileForm({
  profile,
  act,
  onDone,
  children,
}: {
  profile: ConnectionProfile | null;
  /** The label of the button that saves. */
  act: string;
  onDone: (name: string) => void;
  /** Further buttons, before the one that saves. */
  children?: ReactNode;
}) {
  const [draft, setDraft] = useState(() => draftOf(profile));
  const [faults, setFaults] = useState<Faults>({});
  const save = useMutation({
    mutationFn: () => putConnection(draft.name, bodyOfDraft(draft)),
    async onSuccess() {
      await adminChanged();
      // What was entered is stored, and the page forgets it.
      setDraft({ ...draft, headers: draft.headers === "replace" ? "keep" : draft.headers, rows: [] });
      onDone(draft.name);
    },
  });
  const change = (to: Partial<Draft>) => {
    setDraft({ ...draft, ...to });
    setFaults({});
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = faultsOf(draft, profile);
    setFaults(found);
    if (Object.keys(found).length === 0 && !save.isPending) save.mutate();
  };
  const rest = errorElsewhere(save.error, FIELDS);
  return (
    <form className="stack" onSubmit={submit}>
      {profile === null ? (
        <TextField
          label="Name"
          description="Pages and policies use it, and it cannot change."
          value={draft.name}
          onChange={(name) => change({ name })}
          error={faults.name ?? errorAt(save.error, "profile")}
          maxLength={63}
          autoFocus
        />
      ) : null}
      <TextField
        label="Origin"
        description="Calls go to this server and no other."
        value={draft.origin}
        onChange={(origin) => change({ origin })}
        error={faults.origin ?? errorAt(save.error, "origin")}
        inputMode="url"
      />
      <Checks
        label="Methods"
        choices={METHODS}
        value={draft.methods}
        onChange={(methods) => change({ methods })}
        error={faults.methods ?? errorAt(save.error, "methods")}
      />
      <TextField
        label="Headers of pages"
        description="Names that pages may send besides the usual ones, such as x-api-key. Separate them by commas."
        value={draft.requestHeaders}
        onChange={(requestHeaders) => change({ requestHeaders })}
        error={errorAt(save.error, "requestHeaders")}
        autoComplete="off"
      />
      <Headers
        stored={profile?.headerNames ?? []}
        draft={draft}
        onChange={change}
        error={faults.headers ?? errorAt(save.error, "headers")}
      />
      <Toggle
        isSelected={draft.enabled}
        onChange={(enabled) => change({ enabled })}
        description="While it is disabled, every call is refused."
      >
        Enabled
      </Toggle>
      {rest === null ? null : <ErrorNote error={rest} />}
      <div className="dialog-acts">
        {children}
        <Button type="submit" look="primary" isPending={save.isPending}>
          {act}
        </Button>
      </div>
    </form>
  );
}

function Headers({
  stored,
  draft: { headers, rows },
  onChange,
  error,
}: {
  stored: readonly string[];
  draft: Draft;
  onChange: (to: Partial<Draft>) => void;
  error: string | null;
}) {
  const nextKey = Math.max(0, ...rows.map(({ key }) => key)) + 1;
  const choose = (to: HeaderChoice) =>
    onChange({
      headers: to,
      rows: to === "replace" && rows.length === 0 ? [{ key: 1, name: "", value: "" }] : rows,
    });
  const changeRow = (key: number, to: { name?: string; value?: string }) =>
    onChange({ rows: rows.map((row) => (row.key === key ? { ...row, ...to } : row)) });
  return (
    <div className="stack headers">
      <Choices
        label="Protected headers"
        value={headers}
        onChange={choose}
        choices={[
          ...(stored.length === 0
            ? []
            : [
                {
                  value: "keep" as const,
                  label: "Keep the stored ones",
                  description: (
                    <>
                      <bdi>{listOf(stored)}</bdi>. Their values are sealed and never shown.
                    </>
                  ),
                },
              ]),
          {
            value: "replace",
            label: stored.length === 0 ? "Set headers" : "Replace them",
            description: "The service adds them to each request. No page and nobody here sees them again.",
          },
          {
            value: "remove",
            label: stored.length === 0 ? "None" : "Remove them",
            description: "Requests have no secret of the service.",
          },
        ]}
      />
      {headers !== "replace" ? null : (
        <>
          {rows.map(({ key, name, value }, index) => (
            <div key={key} className="header-row">
              <TextField
                label={`Name of header ${index + 1}`}
                placeholder="authorization"
                value={name}
                onChange={(to) => changeRow(key, { name: to })}
                maxLength={100}
                autoComplete="off"
              />
              <TextField
                label={`Value of header ${index + 1}`}
                type="password"
                placeholder="Bearer …"
                value={value}
                onChange={(to) => changeRow(key, { value: to })}
                autoComplete="new-password"
              />
              <Button
                look="quiet"
                icon={<X aria-hidden />}
                aria-label={`Leave out header ${index + 1}`}
                onPress={() => onChange({ rows: rows.filter((row) => row.key !== key) })}
              />
            </div>
          ))}
          <div>
            <Button
              icon={<Plus aria-hidden />}
              isDisabled={rows.length >= 16}
              onPress={() => onChange({ rows: [...rows, { key: nextKey, name: "", value: "" }] })}
            >
              Add a header
            </Button>
          </div>
        </>
      )}
      {error === null ? null : (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
