import { Plus, X } from "lucide-react";
import { Button } from "../../../kit/Button.tsx";
import { TextField } from "../../../kit/Field.tsx";
import { NativeSelect } from "../../../kit/NativeSelect.tsx";
import { Toggle } from "../../../kit/Toggle.tsx";
import { FIELD_KINDS, type FieldKind, type FormField, newField, valueOfForm } from "./form.ts";

const KINDS = (Object.keys(FIELD_KINDS) as FieldKind[]).map((value) => ({
  value,
  label: FIELD_KINDS[value],
}));

/** The length from which a text has a field of several lines. */
const LONG = 60;

/** The fields of a flat object: each a text, a number, yes or no, or nothing. */
export function Fields({
  fields,
  isReadOnly,
  isTried,
  focused,
  onChange,
}: {
  fields: readonly FormField[];
  isReadOnly: boolean;
  /** Whether somebody has tried to save: what is wrong is told from then on. */
  isTried: boolean;
  /** The name of the field that gets the focus. */
  focused: string | null;
  onChange: (fields: FormField[]) => void;
}) {
  const { faults } = valueOfForm(fields);
  const change = (key: number, to: Partial<FormField>) =>
    onChange(fields.map((each) => (each.key === key ? { ...each, ...to } : each)));
  const names = fields.map(({ name }) => name);
  return (
    <div className="record-fields">
      {fields.map((field) => {
        const { key, name, kind, text } = field;
        const error = isTried ? (faults.get(key) ?? null) : null;
        const isNew = field.isNew === true;
        return (
          <fieldset key={key} className="record-field" aria-label={name === "" ? "New field" : name}>
            {isNew ? (
              <TextField
                label="Name of the field"
                value={name}
                onChange={(name) => change(key, { name })}
                error={
                  error !== null && (name === "" || names.indexOf(name) !== names.lastIndexOf(name))
                    ? error
                    : null
                }
                autoFocus
              />
            ) : null}
            <FieldValue
              field={field}
              label={isNew ? "Value" : name}
              error={kind === "number" ? error : null}
              isReadOnly={isReadOnly}
              hasFocus={focused === name}
              onText={(text) => change(key, { text })}
            />
            {isReadOnly ? null : (
              <div className="record-field-acts">
                <NativeSelect
                  label={`Kind of ${name}`}
                  hideLabel
                  choices={KINDS}
                  value={kind}
                  onChange={(kind) => change(key, { kind, text: textFor(kind, text) })}
                />
                <Button
                  look="quiet"
                  icon={<X aria-hidden />}
                  aria-label={`Remove the field ${name}`}
                  onPress={() => onChange(fields.filter((each) => each !== field))}
                />
              </div>
            )}
          </fieldset>
        );
      })}
      {fields.length === 0 ? <p className="soft">The record has no fields.</p> : null}
      {isReadOnly ? null : (
        <p>
          <Button
            look="quiet"
            icon={<Plus aria-hidden />}
            onPress={() => onChange([...fields, { ...newField(), isNew: true }])}
          >
            Add a field
          </Button>
        </p>
      )}
    </div>
  );
}

/** Returns the text of a field that has become one of another kind. */
const textFor = (kind: FieldKind, text: string): string =>
  kind === "boolean" ? String(text === "true") : kind === "null" ? "" : text;

function FieldValue({
  field: { kind, text },
  label,
  error,
  isReadOnly,
  hasFocus,
  onText,
}: {
  field: FormField;
  label: string;
  error: string | null;
  isReadOnly: boolean;
  hasFocus: boolean;
  onText: (text: string) => void;
}) {
  if (kind === "boolean")
    return (
      <Toggle
        isSelected={text === "true"}
        onChange={(is) => onText(String(is))}
        isReadOnly={isReadOnly}
        autoFocus={hasFocus}
      >
        <strong>
          <bdi>{label}</bdi>
        </strong>
      </Toggle>
    );
  if (kind === "null")
    return (
      <p className="field">
        <strong>
          <bdi>{label}</bdi>
        </strong>
        <span className="soft">Nothing (null)</span>
      </p>
    );
  const isLong = kind === "text" && (text.length > LONG || text.includes("\n"));
  return (
    <TextField
      label={label}
      value={text}
      onChange={onText}
      error={error}
      isReadOnly={isReadOnly}
      autoFocus={hasFocus}
      {...(kind === "number" ? { inputMode: "decimal" as const } : {})}
      {...(isLong
        ? { lines: Math.min(Math.max(text.split("\n").length, Math.ceil(text.length / LONG)), 10) }
        : {})}
    />
  );
}
