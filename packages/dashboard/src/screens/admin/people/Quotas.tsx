import "./people.css";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { adminChanged, adminSettingsQuery, type PersonPatch, updatePerson } from "../../../api/admin.ts";
import type { AdminPerson } from "../../../api/types.ts";
import { Button } from "../../../kit/Button.tsx";
import { bytesOf } from "../../../kit/bytes.ts";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { TextField } from "../../../kit/Field.tsx";
import { Meter } from "../../../kit/Meter.tsx";
import { parseBytes } from "../../../kit/parse-bytes.ts";
import { Select } from "../../../kit/Select.tsx";
import { shareOf } from "../../../kit/share.ts";
import { toast } from "../../../kit/toasts.ts";
import { readLimit } from "./limits.ts";

type Name = keyof AdminPerson["quotas"];

const number = new Intl.NumberFormat("en");

const QUOTAS: { name: Name; label: string; inBytes: boolean }[] = [
  { name: "canvases.person", label: "Canvases", inBytes: false },
  { name: "bundles.bytes.person", label: "Versions of all canvases", inBytes: true },
  { name: "files.bytes.person", label: "Files that pages upload", inBytes: true },
  { name: "versions.canvas", label: "Versions kept of each canvas", inBytes: false },
];

const wordsOf = (inBytes: boolean) => (inBytes ? bytesOf : (value: number) => number.format(value));

/** What a person uses of their quotas, and the limits that are theirs alone. */
export function Quotas({ person }: { person: AdminPerson }) {
  const { data: settings } = useQuery(adminSettingsQuery);
  return (
    <section className="card stack" aria-labelledby="quotas">
      <h2 id="quotas">Quotas</h2>
      {QUOTAS.map((quota) => (
        <Quota key={quota.name} person={person} {...quota} usual={settings?.quotas[quota.name] ?? null} />
      ))}
    </section>
  );
}

function Quota({
  person,
  name,
  label,
  inBytes,
  usual,
}: {
  person: AdminPerson;
  name: Name;
  label: string;
  inBytes: boolean;
  /** The limit of the instance; null until it is read. */
  usual: number | null;
}) {
  const words = wordsOf(inBytes);
  const own = person.quotas[name];
  const usage = name === "versions.canvas" ? null : person.usage[name];
  const [kind, setKind] = useState<"usual" | "own">(own === null ? "usual" : "own");
  const [text, setText] = useState(own === null ? "" : words(own));
  const [fault, setFault] = useState<string | null>(null);
  const change = useMutation({
    mutationFn: (limit: number | null) =>
      updatePerson(person.id, { quotas: { [name]: limit } } as PersonPatch),
    onSuccess(_, limit) {
      if (limit !== null) setText(words(limit));
      toast({ text: `Saved the limit: ${limit === null ? "that of the instance" : words(limit)}.` });
    },
    onSettled: () => adminChanged(),
  });
  const choose = (to: "usual" | "own") => {
    setKind(to);
    setFault(null);
    if (to === "usual" && own !== null) change.mutate(null);
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    const limit = inBytes ? parseBytes(text) : readLimit(text);
    setFault(
      limit === null
        ? inBytes
          ? "Enter an amount such as 5 GB or 500 MB."
          : "Enter a whole number, such as 200."
        : null,
    );
    if (limit !== null && !change.isPending) change.mutate(limit);
  };
  return (
    <div className="person-quota">
      {usage === null ? (
        <span className="small">{label}</span>
      ) : (
        <Meter
          label={label}
          amount={`${words(usage.used)} of ${words(usage.limit)}`}
          share={shareOf(usage.used, usage.limit)}
        />
      )}
      <form className="row" onSubmit={save}>
        <Select
          label={`Limit of: ${label}`}
          hideLabel
          value={kind}
          onChange={choose}
          choices={[
            { value: "usual", label: usual === null ? "Like everyone" : `Like everyone: ${words(usual)}` },
            { value: "own", label: "Their own limit" },
          ]}
        />
        {kind === "usual" ? null : (
          <>
            <TextField
              label={`Own limit: ${label}`}
              value={text}
              onChange={setText}
              error={fault ?? change.error?.message}
            />
            <Button type="submit" isPending={change.isPending}>
              Save
            </Button>
          </>
        )}
      </form>
      {kind === "usual" && change.error !== null ? <ErrorNote error={change.error} /> : null}
    </div>
  );
}
