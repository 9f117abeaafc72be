/** Creates an element with attributes and children. Parses no HTML text, so that it works under any content security policy. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Creates a text field whose label is its placeholder. */
export const field = (name: string, type: string, label: string): HTMLInputElement =>
  element("input", {
    name,
    type,
    required: "",
    placeholder: label,
    "aria-label": label,
    autocomplete: "off",
  });
