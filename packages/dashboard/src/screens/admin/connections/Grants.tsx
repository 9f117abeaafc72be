import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { adminChanged, foundCanvasesQuery, grantConnection, revokeConnection } from "../../../api/admin.ts";
import { errorAt, errorElsewhere } from "../../../api/field-errors.ts";
import type { ConnectionProfile } from "../../../api/types.ts";
import { toastWithUndo } from "../../../canvas/changes.ts";
import { Button } from "../../../kit/Button.tsx";
import { Checks } from "../../../kit/Checks.tsx";
import { ComboBox } from "../../../kit/ComboBox.tsx";
import { Dialog, DialogForm } from "../../../kit/Dialog.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { TextField } from "../../../kit/Field.tsx";
import { keepFocus } from "../../../kit/focus.ts";
import { Toggle } from "../../../kit/Toggle.tsx";
import { toast } from "../../../kit/toasts.ts";
import { useSettled } from "../../../kit/useSettled.ts";
import { readLimit } from "../people/limits.ts";
import { METHODS, type Method } from "./profile.ts";
import { grantWords } from "./words.ts";

type Grant = ConnectionProfile["grants"][number];

/** The canvases that may use a Connection, and who may on each. */
export function Grants({ profile }: { profile: ConnectionProfile }) {
  const { profile: name, grants } = profile;
  const [changed, setChanged] = useState<Grant | null>(null);
  const revoke = useMutation({
    async mutationFn({ canvasId, title, public: open, guests, limits }: Grant) {
      await revokeConnection(name, canvasId);
      toastWithUndo(canvasId, `${title} may not use ${name} any more.`, async () => {
        await grantConnection(name, canvasId, { public: open, guests, limits });
        await adminChanged();
      });
    },
    onSettled: () => adminChanged().then(keepFocus),
  });
  return (
    <section className="card stack" aria-labelledby="grants">
      <h2 id="grants">Canvases that may use it</h2>
      {grants.length === 0 ? (
        <p className="soft">None yet. A page can use it once its canvas is added here.</p>
      ) : null}
      <ul className="grants">
        {grants.map((grant) => (
          <li key={grant.canvasId}>
            <div>
              <Link to="/admin/canvases/$canvasId" params={{ canvasId: grant.canvasId }}>
                <bdi>{grant.title}</bdi>
              </Link>
              <p className="small soft">{grantWords(grant)}</p>
            </div>
            <div className="row">
              <Button
                look="quiet"
                aria-label={`Change who may use it: ${grant.title}`}
                onPress={() => setChanged(grant)}
              >
                Change…
              </Button>
              <Button look="danger" aria-label={`Revoke ${grant.title}`} onPress={() => revoke.mutate(grant)}>
                Revoke
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {revoke.error === null ? null : <ErrorNote error={revoke.error} />}
      <AddGrant profile={profile} />
      <Dialog
        title={`Who may use it on ${changed?.title ?? ""}`}
        isOpen={changed !== null}
        onClose={() => setChanged(null)}
      >
        {changed === null ? null : <GrantForm name={name} grant={changed} onClose={() => setChanged(null)} />}
      </Dialog>
    </section>
  );
}

function AddGrant({ profile: { profile: name, grants } }: { profile: ConnectionProfile }) {
  const [text, setText] = useState("");
  const [fault, setFault] = useState<string | null>(null);
  const { data: found = [] } = useQuery(foundCanvasesQuery(useSettled(text.trim())));
  const granted = new Set(grants.map(({ canvasId }) => canvasId));
  const proposals = (text.trim() === "" ? [] : found)
    .filter(({ id }) => !granted.has(id))
    .map(({ id, title, owner, slug }) => ({ id, label: title, description: `${slug}, of ${owner.email}` }));
  const add = useMutation({
    async mutationFn({ id, label }: { id: string; label: string }) {
      await grantConnection(name, id, {});
      setText("");
      toast({ text: `Members may use ${name} on ${label}.` });
    },
    onSettled: () => adminChanged(),
  });
  return (
    <ComboBox
      label="Add a canvas"
      description="Members may use it there, as far as its policy says. Guests and visitors of a public link need your approval besides."
      placeholder="Title, address or owner"
      proposals={proposals}
      empty={text.trim() === "" ? undefined : "No canvas has this title, address or owner."}
      text={text}
      onText={(to) => {
        setText(to);
        setFault(null);
      }}
      onChoose={(id) => {
        const one = proposals.find((each) => each.id === id);
        if (one !== undefined && !add.isPending) add.mutate(one);
      }}
      onEnter={() => {
        const [one] = proposals;
        if (proposals.length === 1 && one !== undefined) add.mutate(one);
        else setFault("Choose one of the canvases.");
      }}
      error={fault ?? add.error?.message ?? null}
    />
  );
}

function GrantForm({ name, grant, onClose }: { name: string; grant: Grant; onClose: () => void }) {
  const { canvasId, title, limits } = grant;
  const [guests, setGuests] = useState(grant.guests);
  const [open, setOpen] = useState(grant.public);
  const [paths, setPaths] = useState((limits.paths ?? []).join("\n"));
  const [methods, setMethods] = useState<Method[]>(limits.methods ?? []);
  const [perDay, setPerDay] = useState(
    limits.requestsPerDay === undefined ? "" : String(limits.requestsPerDay),
  );
  const [fault, setFault] = useState<string | null>(null);
  const isLimited = guests || open;
  const save = useMutation({
    async mutationFn(requestsPerDay: number | null) {
      const lines = paths
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "");
      await grantConnection(name, canvasId, {
        public: open,
        guests,
        limits: isLimited
          ? {
              ...(lines.length === 0 ? {} : { paths: lines }),
              ...(methods.length === 0 ? {} : { methods }),
              ...(requestsPerDay === null ? {} : { requestsPerDay }),
            }
          : {},
      });
      onClose();
      toast({ text: `Saved who may use ${name} on ${title}.` });
    },
    onSettled: () => adminChanged(),
  });
  const submit = () => {
    const limit = perDay.trim() === "" || !isLimited ? null : readLimit(perDay);
    const why =
      perDay.trim() !== "" && isLimited && (limit ?? 0) < 1
        ? "Enter a whole number from 1 on, or nothing."
        : null;
    setFault(why);
    if (why === null) save.mutate(limit);
  };
  const at = (field: string) => errorAt(save.error, `limits.${field}`);
  const rest = errorElsewhere(save.error, ["limits.paths", "limits.requestsPerDay", "limits.methods"]);
  return (
    <DialogForm act="Save" isPending={save.isPending} error={rest} onSubmit={submit} onClose={onClose}>
      <p className="soft">Members may use it as far as the policy of the canvas says.</p>
      <Toggle isSelected={guests} onChange={setGuests}>
        Guests of the canvas, too
      </Toggle>
      <Toggle
        isSelected={open}
        onChange={setOpen}
        description="Anyone on the internet can then send requests with your headers, within the limits below."
      >
        Visitors of its public link, too
      </Toggle>
      {isLimited ? (
        <>
          <TextField
            label="Paths that guests and visitors may call"
            description="One a line, such as /v1/forecast. Empty: all."
            lines={3}
            value={paths}
            onChange={setPaths}
            error={at("paths")}
          />
          <Checks
            label="Methods that guests and visitors may use (none chosen: all)"
            choices={METHODS}
            value={methods}
            onChange={setMethods}
            error={at("methods")}
          />
          <TextField
            label="Requests a day of all of them together"
            description="Empty: no limit of its own."
            inputMode="numeric"
            value={perDay}
            onChange={setPerDay}
            error={fault ?? at("requestsPerDay")}
          />
        </>
      ) : null}
    </DialogForm>
  );
}
