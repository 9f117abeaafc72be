/* What the addresses of the lists of the administration keep. Anybody can write such an address: what it does not know counts as absent. */

export const PEOPLE_FILTERS = [
  "active",
  "deactivated",
  "ownersDeactivated",
  "quotasNear",
  "quotasOwn",
] as const;
export const CANVAS_FILTERS = [
  "published",
  "draft",
  "unpublished",
  "archived",
  "expired",
  "disabled",
  "sharesExpiring",
  "deleted",
] as const;

export interface PeopleSearch {
  /** A text that names or addresses contain. */
  q?: string;
  show?: (typeof PEOPLE_FILTERS)[number];
}

export interface AdminCanvasesSearch {
  /** A text that titles, addresses or the owner's e-mail address contain. */
  q?: string;
  show?: (typeof CANVAS_FILTERS)[number];
}

/** The length at which a text to search for ends, in UTF-16 units. */
const MAX_TEXT = 200;

/** Returns a search parameter as text. The router reads `?q=12` as a number. */
function textOf(value: unknown): string | undefined {
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  return typeof text === "string" && text !== "" ? text.slice(0, MAX_TEXT) : undefined;
}

const oneOf = <Value extends string>(values: readonly Value[], value: unknown): Value | undefined =>
  values.find((each) => each === value);

export const parsePeopleSearch = (raw: Record<string, unknown>): PeopleSearch => ({
  q: textOf(raw.q),
  show: oneOf(PEOPLE_FILTERS, raw.show),
});

export const parseAdminCanvasesSearch = (raw: Record<string, unknown>): AdminCanvasesSearch => ({
  q: textOf(raw.q),
  show: oneOf(CANVAS_FILTERS, raw.show),
});

/** What the address keeps: the step, and who takes what nobody else is chosen for. The result is what is left then, so it has no address. */
export interface OffboardingSearch {
  step?: "who" | "preview";
  to?: string;
}

export const parseOffboardingSearch = (raw: Record<string, unknown>): OffboardingSearch => ({
  step: raw.step === "who" || raw.step === "preview" ? raw.step : undefined,
  to: typeof raw.to === "string" && raw.to !== "" ? raw.to.slice(0, 254) : undefined,
});
