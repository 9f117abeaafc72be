import "./json-editor.css";
import "../field.css";
import { CircleAlert, TriangleAlert } from "lucide-react";
import { type Ref, useEffect, useId, useImperativeHandle, useMemo, useRef, useState } from "react";
import { useSettled } from "../useSettled.ts";
import type { Editor } from "./editor.ts";
import type { PlacedFault, Span, ValueFault } from "./json-text.ts";

const ABOUT = "Tab indents. Escape, then Tab leaves the editor.";
const ABOUT_LEAVING = "Tab now leaves the editor.";
/** The most faults that are listed. */
const LISTED = 20;

export interface JsonEditorHandle {
  /** Moves the focus into the editor, and selects the value at a path. */
  focus: (path?: readonly PropertyKey[]) => void;
}

/**
 * Edits a text of JSON, whatever it is: also one that is no JSON yet. What is wrong with it stands below, each fault with its line; `faults` are
 * those that the caller finds in the value. Until the editor is loaded, and if it cannot be, a plain field has the same text.
 * Its height is between the custom properties `--json-editor-min` and `--json-editor-max`.
 */
export function JsonEditor({
  label,
  hideLabel = false,
  value,
  onChange,
  isReadOnly = onChange === undefined,
  faults: further = [],
  ref,
}: {
  label: string;
  hideLabel?: boolean;
  value: string;
  onChange?: (text: string) => void;
  isReadOnly?: boolean;
  faults?: readonly ValueFault[];
  ref?: Ref<JsonEditorHandle>;
}) {
  const id = useId();
  const host = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const [editor, setEditor] = useState<Editor | null>(null);
  const [leaves, setLeaves] = useState(false);
  const latest = useRef({ label, value, isReadOnly, onChange });
  useEffect(() => {
    latest.current = { label, value, isReadOnly, onChange };
  });

  useEffect(() => {
    let made: Editor | null = null;
    let isGone = false;
    void import("./editor.ts").then(
      ({ createEditor }) => {
        if (isGone || host.current === null) return;
        const { value, ...rest } = latest.current;
        made = createEditor(host.current, {
          label: rest.label,
          about: rest.isReadOnly ? "" : ABOUT,
          text: value,
          isReadOnly: rest.isReadOnly,
          onChange: (text) => latest.current.onChange?.(text),
          onTabLeaves: setLeaves,
        });
        // Somebody who types in the field goes on in the editor.
        const { current } = field;
        if (current !== null && document.activeElement === current)
          made.focus({ from: current.selectionStart, to: current.selectionEnd });
        setEditor(made);
      },
      () => {},
    );
    return () => {
      isGone = true;
      made?.destroy();
      setEditor(null);
    };
  }, []);

  useEffect(() => editor?.setText(value), [editor, value]);
  useEffect(() => editor?.setReadOnly(isReadOnly), [editor, isReadOnly]);

  // A text that is being typed is wrong for a moment only.
  const settled = useSettled(value);
  const faults = useMemo(
    () => editor?.faultsIn(settled, further) ?? plainFaults(settled, further),
    [editor, settled, further],
  );
  useEffect(() => editor?.setFaults(faults), [editor, faults]);

  const focus = (span?: Span) => (editor === null ? field.current?.focus() : editor.focus(span));
  useImperativeHandle(ref, () => ({
    focus: (path) => focus(path === undefined ? undefined : editor?.placeOf(path)),
  }));

  return (
    <div className="field json-editor">
      {hideLabel ? null : editor === null ? (
        <label htmlFor={id}>{label}</label>
      ) : (
        <span className="label">{label}</span>
      )}
      <div ref={host} className={editor === null ? undefined : "json-host"} />
      {editor === null ? (
        <textarea
          ref={field}
          id={id}
          className="input mono"
          aria-label={hideLabel ? label : undefined}
          value={value}
          readOnly={isReadOnly}
          onChange={({ target }) => onChange?.(target.value)}
          spellCheck={false}
          autoComplete="off"
          rows={Math.min(Math.max(value.split("\n").length, 5), 20)}
        />
      ) : isReadOnly ? null : (
        <p className="description" role="status">
          {leaves ? ABOUT_LEAVING : ABOUT}
        </p>
      )}
      <ul className="json-faults" aria-live="polite" aria-label={`Faults in ${label}`}>
        {faults.slice(0, LISTED).map((fault) => {
          const { severity, message, from, to, place } = fault;
          const Icon = severity === "error" ? CircleAlert : TriangleAlert;
          return (
            <li key={`${from} ${message}`} className={severity}>
              <Icon aria-hidden />
              <span>
                {place === null ? null : (
                  <>
                    <button type="button" onClick={() => focus({ from, to })}>
                      Line {place.line}, column {place.column}
                    </button>{" "}
                  </>
                )}
                <bdi>{message}</bdi>
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** Returns what is wrong with a text without the editor, which knows where. JSON itself is told in the words of the browser. */
function plainFaults(text: string, further: readonly ValueFault[]): PlacedFault[] {
  const at = { from: 0, to: 0, severity: "error", place: null } as const;
  try {
    JSON.parse(text);
  } catch (error) {
    return [{ ...at, message: (error as Error).message }];
  }
  return further.map(({ message }) => ({ ...at, message }));
}
