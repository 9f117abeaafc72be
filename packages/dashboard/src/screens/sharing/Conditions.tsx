import { CalendarClock, KeyRound } from "lucide-react";
import { type ReactNode, useState } from "react";
import { updateCanvas } from "../../api/canvas-acts.ts";
import { useCanvasChange } from "../../canvas/changes.ts";
import { Button } from "../../kit/Button.tsx";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { TextField } from "../../kit/Field.tsx";
import { fromLocal, toLocal, zoneName } from "./local-time.ts";
import type { Sharing } from "./useSharing.ts";
import { momentOf } from "./widening.ts";

const PASSWORD_MIN = 8;
const PASSWORD_MAX = 200;

/** What visitors have to pass besides being shared with: a password and an end; and whether colleagues find the canvas in their list. */
export function Conditions({ sharing }: { sharing: Sharing }) {
  return (
    <section className="card stack" aria-labelledby="conditions">
      <h2 id="conditions">Conditions</h2>
      <p className="soft small">They do not hold for the owner and editors.</p>
      <Password sharing={sharing} />
      <End sharing={sharing} />
      {sharing.terms.access === "whole_org" ? <Listing sharing={sharing} /> : null}
    </section>
  );
}

/** A condition: what it is now, and a form to change it that opens in its place. */
function Condition({
  icon,
  name,
  state,
  acts,
  error,
  form,
}: {
  icon: ReactNode;
  name: string;
  state: ReactNode;
  acts: ReactNode;
  error: Error | null;
  form: ReactNode;
}) {
  return (
    <div className="condition">
      <div className="access-row">
        <span className="access-kind">{icon}</span>
        <span className="names">
          <span>{name}</span>
          <small className="soft">{state}</small>
        </span>
        {form === null ? <span className="acts">{acts}</span> : null}
      </div>
      {form}
      {error === null ? null : <ErrorNote error={error} />}
    </div>
  );
}

/** Whether the form of a condition is open. After it was, the button that opens it has the focus again. */
function useForm() {
  const [state, setState] = useState<"closed" | "open" | "closed again">("closed");
  return {
    isOpen: state === "open",
    takesFocus: state === "closed again",
    open: () => setState("open"),
    close: () => setState("closed again"),
  };
}

/** The form of a condition: one field, and why its value is refused. */
function Form({
  label,
  type,
  value,
  onValue,
  description,
  error,
  onSave,
  onCancel,
}: {
  label: string;
  type: "text" | "datetime-local";
  value: string;
  onValue: (value: string) => void;
  description: string;
  error: string | null;
  onSave: () => void;
  onCancel: () => void;
}) {
  return (
    <form
      className="condition-form"
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      <TextField
        label={label}
        type={type}
        value={value}
        onChange={onValue}
        description={description}
        error={error}
        autoFocus
        autoComplete="off"
        spellCheck="false"
        onKeyDown={(event) => {
          if (event.key === "Escape") onCancel();
          else event.continuePropagation();
        }}
      />
      <div className="row">
        <Button look="primary" type="submit">
          Save
        </Button>
        <Button onPress={onCancel}>Cancel</Button>
      </div>
    </form>
  );
}

function Password({ sharing: { terms, failure, share } }: { sharing: Sharing }) {
  const form = useForm();
  const [value, setValue] = useState("");
  const [error, setError] = useState<string | null>(null);
  const close = () => {
    setValue("");
    setError(null);
    form.close();
  };
  const save = () => {
    if (value.length < PASSWORD_MIN || value.length > PASSWORD_MAX) {
      setError(`A password has ${PASSWORD_MIN} to ${PASSWORD_MAX} characters.`);
      return;
    }
    share({ password: value }, "password", close);
  };
  return (
    <Condition
      icon={<KeyRound aria-hidden />}
      name="Password"
      state={terms.hasPassword ? "Asked of visitors once, on the page. Guests need none." : "None"}
      acts={
        <>
          <Button onPress={form.open} autoFocus={form.takesFocus}>
            {terms.hasPassword ? "Replace" : "Set a password"}
          </Button>
          {terms.hasPassword ? (
            <Button look="quiet" onPress={() => share({ password: null }, "password")}>
              Remove
            </Button>
          ) : null}
        </>
      }
      error={failure?.place === "password" ? failure.error : null}
      form={
        form.isOpen ? (
          <Form
            label="New password"
            type="text"
            value={value}
            onValue={setValue}
            description="8 to 200 characters. It cannot be read again here. Everyone who has entered the old one is asked again."
            error={error}
            onSave={save}
            onCancel={close}
          />
        ) : null
      }
    />
  );
}

function End({ sharing: { terms, failure, share } }: { sharing: Sharing }) {
  const { expiresAt } = terms;
  const form = useForm();
  const [value, setValue] = useState("");
  const [error, setError] = useState<string | null>(null);
  const close = () => {
    setError(null);
    form.close();
  };
  const open = () => {
    setValue(expiresAt === null ? "" : toLocal(expiresAt));
    form.open();
  };
  const save = () => {
    const at = fromLocal(value);
    if (at === null) setError("Enter a date and a time.");
    else if (at <= Date.now()) setError("This time has passed.");
    else share({ expiresAt: at }, "end", close);
  };
  const words = () => {
    if (expiresAt === null) return "Never";
    return `${expiresAt <= Date.now() ? "Ended on" : "On"} ${momentOf(expiresAt)}`;
  };
  return (
    <Condition
      icon={<CalendarClock aria-hidden />}
      name="Access ends"
      state={words()}
      acts={
        <>
          <Button onPress={open} autoFocus={form.takesFocus}>
            {expiresAt === null ? "Set an end" : "Change"}
          </Button>
          {expiresAt === null ? null : (
            <Button look="quiet" onPress={() => share({ expiresAt: null }, "end")}>
              Remove
            </Button>
          )}
        </>
      }
      error={failure?.place === "end" ? failure.error : null}
      form={
        form.isOpen ? (
          <Form
            label="Access ends"
            type="datetime-local"
            value={value}
            onValue={setValue}
            description={`Local time, ${zoneName()}.`}
            error={error}
            onSave={save}
            onCancel={close}
          />
        ) : null
      }
    />
  );
}

/** Whether colleagues find the canvas in their list. It gives nobody access. */
function Listing({ sharing: { canvas } }: { sharing: Sharing }) {
  const change = useCanvasChange(canvas.id, (discoverability: "listed" | "link_only") =>
    updateCanvas(canvas.id, { discoverability }),
  );
  const [wanted, setWanted] = useState<"listed" | "link_only" | null>(null);
  const set = (to: "listed" | "link_only") => {
    setWanted(to);
    change.mutate(to, { onSettled: () => setWanted(null) });
  };
  return (
    <div className="condition">
      <label className="listing">
        <input
          type="checkbox"
          checked={(wanted ?? canvas.discoverability) === "listed"}
          onChange={({ target }) => set(target.checked ? "listed" : "link_only")}
        />
        <span className="names">
          <span>List it for the organisation</span>
          <small className="soft">
            Colleagues find it under “Organisation”. Otherwise they need the address.
          </small>
        </span>
      </label>
      {change.error === null ? null : <ErrorNote error={change.error} />}
    </div>
  );
}
