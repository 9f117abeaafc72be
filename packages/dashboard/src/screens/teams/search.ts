/** What the address of the list of teams keeps: a text that names contain. Anybody can write such an address. */
export interface TeamsSearch {
  q?: string | undefined;
}

export function parseTeamsSearch({ q }: Record<string, unknown>): TeamsSearch {
  // The router reads `?q=12` as a number.
  const text = typeof q === "number" ? String(q) : q;
  return { q: typeof text === "string" && text !== "" ? text.slice(0, 200) : undefined };
}
