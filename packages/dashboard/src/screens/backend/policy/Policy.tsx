import { useBlocker, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import type { Canvas } from "../../../api/types.ts";
import { Button } from "../../../kit/Button.tsx";
import { ConfirmDialog } from "../../../kit/Dialog.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { JsonEditor, type JsonEditorHandle } from "../../../kit/json-editor/JsonEditor.tsx";
import { Select } from "../../../kit/Select.tsx";
import { countOf } from "../../../kit/words.ts";
import { entryOfAddress } from "../search.ts";
import { AddEntry } from "./AddEntry.tsx";
import { Conflicts } from "./Conflicts.tsx";
import { entryIn, SECTIONS } from "./document.ts";
import { Entries } from "./Entries.tsx";
import { Hidden } from "./Hidden.tsx";
import { TakeOver } from "./TakeOver.tsx";
import type { PolicyEditor } from "./usePolicy.ts";

/** The policy of a canvas twice: as sentences, and as the document that they come from. Both are changed, and always say the same. */
export function Policy({ canvas, editor }: { canvas: Canvas; editor: PolicyEditor }) {
  const [isAdding, setAdding] = useState(false);
  const json = useRef<JsonEditorHandle>(null);
  const { policy, shown, faults, text } = editor;
  const waits = policy === null;
  const named = entryOfAddress(useSearch({ from: "/canvases/$id/backend" }).entry, SECTIONS);
  const missing = named === null || entryIn(shown, named) !== undefined ? null : named;
  return (
    <section className="card stack policy" aria-labelledby="policy">
      <div className="policy-head">
        <div>
          <h2 id="policy">Who may do what</h2>
          <p className="small soft">
            The owner and editors always see and change this policy. Nothing counts until it is saved.
          </p>
        </div>
        <div className="row">
          <Button isDisabled={waits} onPress={() => setAdding(true)}>
            Add
          </Button>
          <TakeOver canvas={canvas} editor={editor} />
        </div>
      </div>
      <SaveBar editor={editor} />
      <div className="policy-columns">
        <div className="stack">
          {waits ? (
            <div className="note wait" role="status">
              <p>
                The document has faults. The sentences show what it said before, and wait until it is right
                again.
              </p>
              <div>
                <Button onPress={() => json.current?.focus(faults[0]?.path)}>Go to the document</Button>
              </div>
            </div>
          ) : null}
          <Conflicts editor={editor} />
          <Hidden canvas={canvas} editor={editor} />
          {missing === null ? null : (
            <div className="note wait" role="status">
              <p>
                The policy has no entry <bdi>“{missing.name}”</bdi>, which the page uses.
              </p>
              <div>
                <Button isDisabled={waits} onPress={() => setAdding(true)}>
                  Add it
                </Button>
              </div>
            </div>
          )}
          <Entries canvas={canvas} editor={editor} onAdd={() => setAdding(true)} />
          <StartingChoice editor={editor} />
        </div>
        <div className="policy-document">
          <JsonEditor
            ref={json}
            label="The same as a document"
            value={text}
            onChange={editor.setText}
            faults={faults}
          />
        </div>
      </div>
      <AddEntry
        isOpen={isAdding}
        first={missing}
        onClose={() => setAdding(false)}
        policy={shown}
        canvas={canvas}
        onAdd={editor.change}
      />
      <Leaving editor={editor} />
    </section>
  );
}

/** What is not saved yet, and how to save it. */
function SaveBar({ editor }: { editor: PolicyEditor }) {
  const { isDirty, policy, changes, conflicts, save, discard, isOvertaken, merge } = editor;
  const count = (kind: string) => changes.filter((each) => each.kind === kind).length;
  const parts = [
    [count("added"), "added"],
    [count("changed"), "changed"],
    [count("removed"), "removed"],
  ].flatMap(([number, word]) =>
    number === 0 ? [] : [`${countOf(Number(number), "entry", "entries")} ${word}`],
  );
  const bar = useRef<HTMLDivElement>(null);
  // A change can take away the button that made it: Save, Discard, those of a removal and of a conflict.
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: these say that something has changed
  useEffect(() => {
    if (!isFirst.current && document.activeElement === document.body) bar.current?.focus();
    isFirst.current = false;
  }, [isDirty, changes, conflicts]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a layout of its own
    <div
      ref={bar}
      className="save-bar"
      data-dirty={isDirty || undefined}
      role="group"
      aria-label="What is saved"
      tabIndex={-1}
    >
      <p role="status">
        {!isDirty
          ? "All of it is saved."
          : policy === null
            ? "Not saved: the document has faults."
            : conflicts.length > 0
              ? "Not saved: choose between your version and theirs first."
              : `Not saved: ${parts.length === 0 ? "the starting choice" : parts.join(", ")}.`}
      </p>
      {isDirty ? (
        <div className="row">
          <Button look="quiet" isDisabled={save.isPending} onPress={discard}>
            Discard
          </Button>
          <Button
            look="primary"
            isPending={save.isPending}
            isDisabled={policy === null || conflicts.length > 0}
            onPress={() => policy !== null && save.mutate(policy)}
          >
            Save
          </Button>
        </div>
      ) : null}
      {isOvertaken && isDirty ? (
        <div className="note wait row" role="status">
          <p>This policy was saved meanwhile, by somebody else or in another tab.</p>
          <Button isDisabled={policy === null} onPress={merge}>
            Merge their changes
          </Button>
        </div>
      ) : null}
      {save.error === null ? null : <ErrorNote error={save.error} />}
    </div>
  );
}

const MODES = [
  { value: "", label: "Not set" },
  { value: "read_only", label: "Read only" },
  { value: "participation", label: "Participation" },
  { value: "collaboration", label: "Collaboration" },
] as const;

/** The starting choice for new entries. */
function StartingChoice({ editor: { shown, policy, change } }: { editor: PolicyEditor }) {
  return (
    <div className="starting-choice">
      <Select
        label="New collections start with"
        choices={MODES}
        value={shown.defaultMode ?? ""}
        isDisabled={policy === null}
        onChange={(mode) => {
          const { defaultMode: _, ...rest } = shown;
          change(mode === "" ? rest : { defaultMode: mode, ...rest });
        }}
      />
      <p className="small soft">
        Only what is offered first when something is added. It gives nobody a right.
      </p>
    </div>
  );
}

/** Asks before a policy that is not saved is left. */
function Leaving({ editor: { isDirty } }: { editor: PolicyEditor }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      title="Leave without saving?"
      act="Leave"
      isDanger
      isOpen={status === "blocked"}
      onClose={() => reset?.()}
      onConfirm={async () => proceed?.()}
    >
      <p>The policy has changes that are not saved. They are lost when you leave this screen.</p>
    </ConfirmDialog>
  );
}
