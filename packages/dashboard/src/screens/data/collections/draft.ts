import type { Json } from "@easel/protocol/types";
import { type FormField, formOf, isSame, valueOfForm } from "./form.ts";

/** What somebody edits: the fields of a form, or a text of JSON. */
export type Draft = { as: "form"; fields: readonly FormField[] } | { as: "json"; text: string };

export const jsonText = (value: Json): string => JSON.stringify(value, null, 2);

/** Returns the draft of a value: a form if the value has one, and `as` allows it. What both have `before` it keeps the focus. */
export function draftOf(value: Json, as: Draft["as"] = "form", before?: Draft): Draft {
  const fields = as === "form" ? formOf(value, before?.as === "form" ? before.fields : []) : null;
  return fields === null ? { as: "json", text: jsonText(value) } : { as: "form", fields };
}

/** Returns the value of a draft, or undefined if it has none: a field or the JSON is wrong. */
export function valueIn(draft: Draft): Json | undefined {
  if (draft.as === "form") {
    const { value, faults } = valueOfForm(draft.fields);
    return faults.size === 0 ? value : undefined;
  }
  try {
    return JSON.parse(draft.text) as Json;
  } catch {
    return undefined;
  }
}

/** Whether a draft is something else than a value. */
export const isChanged = (draft: Draft, base: Json | undefined): boolean => {
  const value = valueIn(draft);
  return value === undefined || base === undefined || !isSame(value, base);
};
