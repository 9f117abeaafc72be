import type { Json } from "@easel/protocol/types";
import { VALUE_BYTES } from "@easel/protocol/value-bytes";
import type { KvScope } from "@easel/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useBlocker } from "@tanstack/react-router";
import { Minus, Plus } from "lucide-react";
import {
  type FormEvent,
  lazy,
  type RefObject,
  Suspense,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from "react";
import { refusalOf } from "../../../api/api-error.ts";
import { canvasKey } from "../../../api/queries.ts";
import { Button } from "../../../kit/Button.tsx";
import { bytesOf } from "../../../kit/bytes.ts";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { TextField } from "../../../kit/Field.tsx";
import { JsonEditor } from "../../../kit/json-editor/JsonEditor.tsx";
import { Loading } from "../../../kit/Loading.tsx";
import { toast } from "../../../kit/toasts.ts";
import { bytesOfJson, type KeyList } from "./key-list.ts";

/** The most bytes of a key. */
const KEY_BYTES = 512;

const LeaveDialog = lazy(async () => ({ default: (await import("../LeaveDialog.tsx")).LeaveDialog }));

/** The share of the limit of a value from which its size is told before it is saved. */
const NEAR = 0.75;

const textOf = (value: Json): string => JSON.stringify(value, null, 2);

/** Returns the value of a text of JSON, or undefined if it is none that a key can hold. */
function valueIn(text: string): Exclude<Json, null> | undefined {
  try {
    return (JSON.parse(text) as Exclude<Json, null>) ?? undefined;
  } catch {
    return undefined;
  }
}

const isNull = (text: string): boolean => text.trim() === "null";

/** One key, which is read first: it may be large, or in no list. */
export function KeyEditor({
  canvas,
  isOwn,
  name,
  ...rest
}: {
  canvas: string;
  isOwn: boolean;
  name: string;
  scope: KvScope;
  list: KeyList;
  onDelete: () => void;
}) {
  const { data, error } = useQuery({
    queryKey: canvasKey(canvas, isOwn ? "own-key" : "key", name),
    queryFn: async () => ({ value: await rest.scope.get<Json>(name) }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  if (error !== null) return <ErrorNote error={error} />;
  if (data === undefined) return <Loading what="the key" />;
  if (data.value === undefined)
    return (
      <p className="note wait" role="status">
        There is no such key. It may have been deleted.
      </p>
    );
  return <Editor name={name} value={data.value} {...rest} />;
}

/**
 * Edits the value of a key as JSON; a number can also be counted up. What others write meanwhile comes in by itself while nothing was typed, and
 * otherwise the person chooses.
 */
function Editor({
  name,
  value,
  scope,
  list,
  onDelete,
}: {
  name: string;
  value: Json;
  scope: KvScope;
  list: KeyList;
  onDelete: () => void;
}) {
  const [base, setBase] = useState(value);
  const [text, setText] = useState(() => textOf(value));
  const [theirs, setTheirs] = useState<{ value: Json | undefined } | null>(null);
  const [told, setTold] = useState("");
  const leaves = useRef(false);
  const isDirty = text !== textOf(base);
  const now = valueIn(text);

  const begin = (from: Json) => {
    setBase(from);
    setText(textOf(from));
    setTheirs(null);
  };
  const changed = useEffectEvent((key: string, stored: Json | undefined) => {
    if (key !== name || (stored !== undefined && textOf(stored) === textOf(base))) return;
    if (stored === undefined || isDirty) return setTheirs({ value: stored });
    begin(stored);
    setTold("Somebody has just changed this.");
  });
  useEffect(() => list.onChange(changed), [list]);

  const save = useMutation({
    mutationFn: (to: Exclude<Json, null>) => scope.set(name, to),
    onSuccess(_, to) {
      const before = base;
      list.put(name, to);
      begin(to);
      setTold("");
      toast({
        text: "Saved.",
        ...(before === null ? {} : { act: { label: "Undo", run: () => undo(scope, list, name, before) } }),
      });
    },
  });
  const count = useMutation({
    mutationFn: (by: number) => scope.increment(name, by),
    onSuccess(sum) {
      list.put(name, sum);
      begin(sum);
      setTold(`It is ${sum} now.`);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (now !== undefined && isDirty && theirs === null) save.mutate(now);
  };
  return (
    <form className="panel-form" onSubmit={submit} noValidate>
      <p role="status" className="small soft told">
        {isDirty ? "" : told}
      </p>
      {theirs === null ? null : (
        <div className="note wait" role="alert">
          <p>
            {theirs.value === undefined
              ? "Somebody has deleted this key."
              : "Somebody has changed this key while you were editing it."}
          </p>
          {theirs.value === undefined ? null : (
            <pre className="theirs">
              <code>{cut(textOf(theirs.value))}</code>
            </pre>
          )}
          <p className="panel-acts">
            <Button onPress={() => setTheirs(null)}>Keep mine</Button>
            {theirs.value === undefined ? null : (
              <Button onPress={() => begin(theirs.value as Json)}>Take theirs</Button>
            )}
          </p>
        </div>
      )}
      <JsonEditor label="Value" value={text} onChange={setText} />
      <ValueNotes text={text} />
      {typeof base === "number" && !isDirty ? (
        <Counter value={base} isPending={count.isPending} onCount={count.mutate} />
      ) : null}
      {count.error === null ? null : <ErrorNote error={count.error} />}
      {save.error === null ? null : <ErrorNote error={save.error} />}
      <div className="panel-acts">
        <Button
          look="primary"
          type="submit"
          isPending={save.isPending}
          isDisabled={!isDirty || now === undefined || theirs !== null}
        >
          Save
        </Button>
        <Button
          look="danger"
          onPress={() => {
            leaves.current = true;
            onDelete();
          }}
        >
          Delete
        </Button>
      </div>
      <Leaving isDirty={isDirty} leaves={leaves} />
    </form>
  );
}

/** The most characters that are shown of a value that somebody else has written. */
const MAX_SHOWN = 2_000;
const cut = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);

async function undo(scope: KvScope, list: KeyList, name: string, before: Exclude<Json, null>): Promise<void> {
  try {
    await scope.set(name, before);
    list.put(name, before);
    toast({ text: "Undone." });
  } catch (error) {
    toast({ text: `It could not be undone. ${(error as Error).message}` });
  }
}

/** Adds to a number in one step, so that nobody's count is lost. */
function Counter({
  value,
  isPending,
  onCount,
}: {
  value: number;
  isPending: boolean;
  onCount: (by: number) => void;
}) {
  const [text, setText] = useState("1");
  const by = Number(text);
  const isNumber = text.trim() !== "" && Number.isFinite(by);
  return (
    <fieldset className="counter">
      <legend className="hidden-text">Count from {value}</legend>
      <Button
        icon={<Minus aria-hidden />}
        isPending={isPending}
        isDisabled={!isNumber}
        onPress={() => onCount(-by)}
      >
        Subtract
      </Button>
      <TextField
        label="By"
        value={text}
        onChange={setText}
        inputMode="decimal"
        error={isNumber ? null : "Give a number."}
      />
      <Button
        icon={<Plus aria-hidden />}
        isPending={isPending}
        isDisabled={!isNumber}
        onPress={() => onCount(by)}
      >
        Add
      </Button>
    </fieldset>
  );
}

/** What the person should know of a value before they save it. */
function ValueNotes({ text }: { text: string }) {
  const value = valueIn(text);
  const bytes = value === undefined ? 0 : bytesOfJson(value);
  if (isNull(text))
    return <p className="small field-error">A key holds any JSON but null. Delete the key instead.</p>;
  if (bytes <= VALUE_BYTES * NEAR) return null;
  return (
    <p className={`small ${bytes > VALUE_BYTES ? "field-error" : "soft"}`}>
      {bytesOf(bytes)} of at most {bytesOf(VALUE_BYTES)}
    </p>
  );
}

const EXAMPLE = '{ "text": "Hello" }';

/** A key that does not exist yet. */
export function NewKey({
  scope,
  list,
  prefix,
  onOpen,
  onStored,
}: {
  scope: KvScope;
  list: KeyList;
  prefix: string;
  onOpen: (key: string) => void;
  onStored: () => void;
}) {
  const [key, setKey] = useState(prefix);
  const [text, setText] = useState(EXAMPLE);
  const [existing, setExisting] = useState<string | null>(null);
  const [isTried, setTried] = useState(false);
  const leaves = useRef(false);
  const bytes = new TextEncoder().encode(key).length;
  const fault =
    key === ""
      ? isTried
        ? "Give the key a name."
        : null
      : bytes > KEY_BYTES
        ? `A key has at most ${KEY_BYTES} bytes; this one has ${bytes}.`
        : existing === key
          ? "There is a key of this name already."
          : null;
  const save = useMutation({
    async mutationFn({ key, value }: { key: string; value: Exclude<Json, null> }) {
      // A key that exists is opened instead, and not overwritten.
      if ((await scope.get(key)) !== undefined) return false;
      await scope.set(key, value);
      return true;
    },
    onSuccess(isMade, { key, value }) {
      if (!isMade) return setExisting(key);
      list.put(key, value);
      toast({ text: "Added the key." });
      onStored();
      leaves.current = true;
      onOpen(key);
    },
  });
  const value = valueIn(text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (key !== "" && fault === null && value !== undefined) save.mutate({ key, value });
  };
  const isOfKey = save.error !== null && refusalOf(save.error)?.code === "INVALID_BODY";
  return (
    <form className="panel-form" onSubmit={submit} noValidate>
      <TextField
        label="Key"
        value={key}
        onChange={setKey}
        error={fault ?? (isOfKey ? (save.error?.message ?? null) : null)}
        description="Such as votes:tea. Keys that begin alike can be listed together."
        autoComplete="off"
        spellCheck="false"
      />
      {existing === key && existing !== "" ? (
        <p>
          <Button
            onPress={() => {
              leaves.current = true;
              onOpen(key);
            }}
          >
            Open it
          </Button>
        </p>
      ) : null}
      <JsonEditor label="Value" value={text} onChange={setText} />
      <ValueNotes text={text} />
      {save.error === null || isOfKey ? null : <ErrorNote error={save.error} />}
      <div className="panel-acts">
        <Button look="primary" type="submit" isPending={save.isPending} isDisabled={value === undefined}>
          Add
        </Button>
      </div>
      <Leaving isDirty={key !== prefix || text !== EXAMPLE} leaves={leaves} />
    </form>
  );
}

/** Asks before what was typed is left, unless `leaves` says that it is stored or not wanted any more. */
function Leaving({ isDirty, leaves }: { isDirty: boolean; leaves: RefObject<boolean> }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const [from, to] = [current.search, next.search] as { item?: string; show?: string }[];
      const stays = current.pathname === next.pathname && from?.item === to?.item && from?.show === to?.show;
      return isDirty && !leaves.current && !stays;
    },
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  return blocker.status === "blocked" ? (
    <Suspense>
      <LeaveDialog onStay={blocker.reset} onLeave={blocker.proceed} />
    </Suspense>
  ) : null;
}
