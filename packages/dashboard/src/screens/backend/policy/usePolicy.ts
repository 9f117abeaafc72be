import type { RuntimePolicy } from "@easel/protocol/policy";
import { replaceEqualDeep, useMutation, useSuspenseQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { ApiError } from "../../../api/api-error.ts";
import { changeCapabilities } from "../../../api/canvas-acts.ts";
import { canvasChanged, canvasQuery, queries } from "../../../api/queries.ts";
import type { Canvas } from "../../../api/types.ts";
import { toastWithUndo } from "../../../canvas/changes.ts";
import { isolated, listOf } from "../../../kit/words.ts";
import { checkerQuery } from "./checker.ts";
import {
  changesBetween,
  type Entry,
  type EntryName,
  isSamePolicy,
  readPolicy,
  textOf,
  withEntry,
} from "./document.ts";
import { type Conflict, type Merged, mergePolicies } from "./merge.ts";

/** A policy as the service has it. */
interface Stored {
  revision: string | null;
  policy: RuntimePolicy;
}

const storedOf = ({ runtimePolicy, runtimePolicyRevision }: Canvas): Stored => ({
  revision: runtimePolicyRevision,
  policy: (runtimePolicy ?? {}) as RuntimePolicy,
});

/** How often a policy that could be merged is sent again because somebody has changed it once more. */
const ATTEMPTS = 3;

/**
 * The policy of a canvas that somebody edits: a text, and the policy that it says. Nothing is saved until `save`, which replaces the policy that
 * was read, and no other; what others have changed meanwhile is merged entry by entry.
 */
export function usePolicy(canvas: Canvas) {
  const { data: check } = useSuspenseQuery(checkerQuery);
  const [base, setBase] = useState<Stored>(() => storedOf(canvas));
  const [text, setText] = useState(() => textOf(base.policy));
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([]);
  const lastValid = useRef(base.policy);
  const { policy, faults } = useMemo(() => {
    const read = readPolicy(text, check);
    // Entries that stay the same are the same objects, so that they are not drawn again with each key.
    return read.policy === null
      ? read
      : { ...read, policy: replaceEqualDeep(lastValid.current, read.policy) };
  }, [text, check]);
  useEffect(() => {
    if (policy !== null) lastValid.current = policy;
  }, [policy]);
  const shown = policy ?? lastValid.current;
  /** Changes an entry, or removes it. */
  const changeEntry = useCallback(
    (at: EntryName, entry: Entry | undefined) => setText(textOf(withEntry(lastValid.current, at, entry))),
    [],
  );

  const isDirty = policy === null || !isSamePolicy(base.policy, policy);
  // While a document is edited, what others have saved waits until it is merged.
  const isOvertaken = canvas.runtimePolicyRevision !== base.revision;
  const adopt = (stored: Stored) => {
    setBase(stored);
    setText(textOf(stored.policy));
    setConflicts([]);
  };

  /** Puts the changes of this page onto a newer policy. */
  function rebase(onto: Stored, from: Stored, mine: RuntimePolicy): Merged {
    const merged = mergePolicies(from.policy, mine, onto.policy);
    setBase(onto);
    setText(textOf(merged.policy));
    setConflicts(merged.conflicts);
    return merged;
  }

  const save = useMutation({
    async mutationFn(wanted: RuntimePolicy) {
      let [expected, mine] = [base, wanted];
      let taken: EntryName[] = [];
      for (let attempt = 1; ; attempt++) {
        try {
          const { runtimePolicyRevision: revision } = await changeCapabilities(canvas.id, {
            expectedRuntimePolicy: expected.revision,
            runtimePolicy: mine,
          });
          setBase({ revision, policy: mine });
          return { before: expected.policy, revision, taken };
        } catch (error) {
          if (!(error instanceof ApiError) || error.code !== "POLICY_CONFLICT" || attempt === ATTEMPTS)
            throw error;
          const theirs = storedOf(await queries.fetchQuery({ ...canvasQuery(canvas.id), staleTime: 0 }));
          const merged = rebase(theirs, expected, mine);
          if (merged.conflicts.length > 0) return null;
          [expected, mine] = [theirs, merged.policy];
          taken = [...taken, ...merged.taken];
        }
      }
    },
    async onSuccess(saved) {
      if (saved === null) return;
      const { before, revision, taken } = saved;
      const said =
        taken.length === 0 ? "" : ` What somebody else has changed meanwhile is kept: ${namesOf(taken)}.`;
      toastWithUndo(canvas.id, `Saved. It counts from now on.${said}`, () =>
        changeCapabilities(canvas.id, {
          expectedRuntimePolicy: revision,
          runtimePolicy: before,
        }),
      );
      await canvasChanged(canvas.id);
    },
  });

  // A policy that nobody edits here is always that of the service.
  const { isPending } = save;
  useEffect(() => {
    if (isOvertaken && !isDirty && !isPending) adopt(storedOf(canvas));
  });

  return {
    text,
    setText,
    faults,
    /** The policy that the text says, or null while it has faults. */
    policy,
    /** The policy that the text says, or has said before it got its faults. */
    shown,
    stored: base.policy,
    isDirty,
    changes: policy === null ? [] : changesBetween(base.policy, policy),
    /** Shows a changed policy in the text. */
    change: (to: RuntimePolicy) => setText(textOf(to)),
    changeEntry,
    discard() {
      adopt(storedOf(canvas));
      save.reset();
    },
    save,
    conflicts,
    /** Takes one of two versions of an entry. */
    decide(conflict: Conflict, takes: "mine" | "theirs") {
      if (policy === null) return;
      // Until somebody decides, the document has mine, with what was changed of it meanwhile.
      if (takes === "theirs") setText(textOf(withEntry(policy, conflict, conflict.theirs)));
      setConflicts(conflicts.filter((each) => each !== conflict));
    },
    /** Whether somebody else has saved a policy since this one was read. */
    isOvertaken: isOvertaken && !isPending,
    merge: () => {
      if (policy !== null) rebase(storedOf(canvas), base, policy);
    },
  };
}

export type PolicyEditor = ReturnType<typeof usePolicy>;

/** Names of entries in a sentence. */
export const namesOf = (entries: readonly EntryName[]): string =>
  listOf(entries.map(({ name }) => `“${isolated(name)}”`));
