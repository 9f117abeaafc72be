/** What the address of the settings keeps: a text that they contain. */
export interface SettingsSearch {
  q?: string | undefined;
}

/** Anybody can write an address: what is no text counts as absent. */
export function parseSettingsSearch({ q }: Record<string, unknown>): SettingsSearch {
  const text = typeof q === "number" || typeof q === "boolean" ? String(q) : q;
  return { q: typeof text === "string" && text !== "" ? text.slice(0, 200) : undefined };
}
