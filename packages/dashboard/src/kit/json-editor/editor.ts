import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { Annotation, Compartment, EditorState, Prec } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { faultsIn, readJson, type Span, type TextFault } from "./json-text.ts";

/** Marks a change that comes from outside, not from the person who types. */
const fromOutside = Annotation.define<boolean>();

/** Keys that, after Escape, do not mean that the person goes on to type. */
const MODIFIERS = new Set(["Escape", "Tab", "Shift", "Control", "Alt", "Meta"]);

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--wait)" },
  { tag: [tags.separator, tags.brace, tags.squareBracket], color: "var(--soft)" },
]);

const theme = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--card)", fontSize: "0.875rem", borderRadius: "inherit" },
  "&.cm-focused": { outline: "3px solid var(--accent)", outlineOffset: "-1px" },
  ".cm-scroller": {
    overflow: "auto",
    minHeight: "var(--json-editor-min, 8rem)",
    maxHeight: "var(--json-editor-max, min(36rem, 70vh))",
    fontFamily: "var(--mono)",
    lineHeight: "1.55",
  },
  ".cm-content": { padding: "0.6rem 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 0.7rem 0 0.4rem" },
  ".cm-gutters": { border: "0", backgroundColor: "var(--card)", color: "var(--soft)" },
  ".cm-gutter-lint": { width: "1.1rem" },
  ".cm-cursor": { borderLeft: "2px solid var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-tint)",
  },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--tint)", outline: "1px solid var(--edge)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--bad-tint)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--wait)" },
  ".cm-lintPoint-error::after": { borderBottomColor: "var(--bad)" },
  ".cm-tooltip": {
    border: "1px solid var(--line)",
    borderRadius: "0.4rem",
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
  },
  ".cm-diagnostic": {
    maxWidth: "24rem",
    padding: "0.3rem 0.6rem",
    fontFamily: "var(--sans)",
    overflowWrap: "anywhere",
  },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--wait)" },
});

/** Returns what is selected, also if the editor has not been told yet. */
function selectionOf(view: EditorView): Span {
  const { from, to, empty } = view.state.selection.main;
  const { getSelection } = view.root as Document;
  const selection = getSelection?.call(view.root) ?? null;
  if (!empty || selection === null || selection.isCollapsed) return { from, to };
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selection;
  if (!view.contentDOM.contains(anchorNode) || !view.contentDOM.contains(focusNode)) return { from, to };
  const ends = [
    view.posAtDOM(anchorNode as Node, anchorOffset),
    view.posAtDOM(focusNode as Node, focusOffset),
  ];
  return { from: Math.min(...ends), to: Math.max(...ends) };
}

/**
 * Replaces a selection by what is typed. If the browser did, it would keep the colour of what was selected by an inline style, which the
 * policy of the page forbids.
 */
const replacing = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data, isComposing } = event;
    if (inputType !== "insertText" || data === null || isComposing || view.state.readOnly) return false;
    const { from, to } = selectionOf(view);
    if (from === to) return false;
    view.dispatch({
      changes: { from, to, insert: data },
      selection: { anchor: from + data.length },
      userEvent: "input.type",
      scrollIntoView: true,
    });
    event.preventDefault();
    return true;
  },
});

export interface EditorOptions {
  label: string;
  /** How the keyboard leaves the editor. Read by screen readers after the label. */
  about: string;
  text: string;
  isReadOnly: boolean;
  /** Called with the text after each change by the person. */
  onChange: (text: string) => void;
  /** Called after Escape, when Tab leaves the editor, and when it indents again. */
  onTabLeaves: (leaves: boolean) => void;
}

export interface Editor {
  /** Shows another text, if it is not one of which `onChange` was told before. The person can undo that, and the cursor stays where it is if its surroundings stay. */
  setText: (text: string) => void;
  setReadOnly: (isReadOnly: boolean) => void;
  setFaults: (faults: readonly TextFault[]) => void;
  faultsIn: typeof faultsIn;
  /** Returns where the value at a path stands. */
  placeOf: (path: readonly PropertyKey[]) => Span;
  /** Focuses the editor. With `span`, selects that part of the text and scrolls it into view. */
  focus: (span?: Span) => void;
  destroy: () => void;
}

/**
 * Makes a JSON editor in an element. It is in a shadow root, where its styles are constructed sheets, because the policy of the page forbids
 * style elements.
 */
export function createEditor(host: HTMLElement, options: EditorOptions): Editor {
  const { text, isReadOnly, onChange, onTabLeaves } = options;
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  // What describes the editor has to be in the same tree.
  const about = document.createElement("p");
  about.id = "about";
  about.hidden = true;
  root.replaceChildren(about);

  const writing = new Compartment();
  const attributes = new Compartment();
  const writable = (isReadOnly: boolean) =>
    isReadOnly
      ? [EditorState.readOnly.of(true), EditorView.contentAttributes.of({ inputmode: "none" })]
      : [keymap.of([indentWithTab])];
  const described = (faults: readonly TextFault[]) => {
    about.textContent = [options.about, ...faults.map(({ message }) => message)].join(" ");
    const isInvalid = faults.some(({ severity }) => severity === "error");
    return EditorView.contentAttributes.of({
      "aria-label": options.label,
      // Editable content has the focus without it. It tells checkers so.
      tabindex: "0",
      "aria-describedby": about.id,
      ...(isInvalid && { "aria-invalid": "true" }),
    });
  };

  let leaves = false;
  const letTabLeave = (view: EditorView, to: boolean) => {
    if (to === leaves) return;
    leaves = to;
    view.setTabFocusMode(to);
    onTabLeaves(to);
  };
  const leaving = EditorView.domEventHandlers({
    keydown(event, view) {
      if (view.state.readOnly) return;
      if (event.key === "Escape" && !leaves) {
        letTabLeave(view, true);
        // The second one is for what is around the editor, such as a dialog.
        event.stopPropagation();
      } else if (!MODIFIERS.has(event.key)) letTabLeave(view, false);
    },
    blur: (_event, view) => letTabLeave(view, false),
  });

  /** The first text, and those of which `onChange` was told, until they come back: by then, the person may have typed more. */
  const sent: string[] = [text];
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        Prec.highest(leaving),
        replacing,
        writing.of(writable(isReadOnly)),
        attributes.of(described([])),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        history(),
        json(),
        indentOnInput(),
        indentUnit.of("  "),
        bracketMatching(),
        lineNumbers(),
        lintGutter(),
        drawSelection(),
        EditorView.lineWrapping,
        syntaxHighlighting(colours),
        theme,
        EditorView.updateListener.of(({ docChanged, transactions, state }) => {
          if (!docChanged || transactions.every((each) => each.annotation(fromOutside))) return;
          const text = state.doc.toString();
          sent.push(text);
          onChange(text);
        }),
      ],
    }),
  });

  return {
    setText(to) {
      const known = sent.lastIndexOf(to);
      if (known !== -1) {
        sent.splice(0, known + 1);
        return;
      }
      sent.length = 0;
      const now = view.state.doc.toString();
      if (now === to) return;
      view.dispatch({ changes: changeOf(now, to), annotations: fromOutside.of(true) });
    },
    setReadOnly: (to) => view.dispatch({ effects: writing.reconfigure(writable(to)) }),
    setFaults(faults) {
      const { length } = view.state.doc;
      const marks = faults.map(({ from, to, ...rest }) => ({
        from: Math.min(from, length),
        to: Math.min(to, length),
        ...rest,
      }));
      view.dispatch(setDiagnostics(view.state, marks), {
        effects: attributes.reconfigure(described(faults)),
      });
    },
    faultsIn,
    placeOf: (path) => readJson(view.state.doc.toString()).placeOf(path),
    focus(span) {
      view.focus();
      if (span === undefined) return;
      const { length } = view.state.doc;
      view.dispatch({
        selection: { anchor: Math.min(span.from, length), head: Math.min(span.to, length) },
        scrollIntoView: true,
      });
    },
    destroy() {
      view.destroy();
      root.replaceChildren();
    },
  };
}

/** Returns the shortest replacement that makes one text of another. */
function changeOf(before: string, after: string): { from: number; to: number; insert: string } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}
