import type { ConnectionBody } from "../../../api/admin.ts";
import type { ConnectionProfile } from "../../../api/types.ts";

export type Method = ConnectionProfile["methods"][number];

export const METHODS: readonly Method[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/** What becomes of the protected headers: those that are stored stay, others replace them, or there are none. Stored values are never shown. */
export type HeaderChoice = "keep" | "replace" | "remove";

export interface HeaderRow {
  /** Tells rows apart whose names are the same. */
  key: number;
  name: string;
  value: string;
}

/** A profile as it is entered. */
export interface Draft {
  name: string;
  origin: string;
  methods: Method[];
  enabled: boolean;
  /** The names of headers that pages may send, separated by commas or spaces. */
  requestHeaders: string;
  headers: HeaderChoice;
  rows: HeaderRow[];
}

export type Faults = Partial<Record<"name" | "origin" | "methods" | "headers", string>>;

/** Returns the draft of a profile. That of a new one, null, has no header. */
export const draftOf = (profile: ConnectionProfile | null): Draft => ({
  name: profile?.profile ?? "",
  origin: profile?.origin ?? "https://",
  methods: profile?.methods ?? ["GET"],
  enabled: profile?.enabled ?? true,
  requestHeaders: profile?.requestHeaders.join(", ") ?? "",
  headers: profile === null || profile.headerNames.length === 0 ? "remove" : "keep",
  rows: [],
});

const filled = (rows: readonly HeaderRow[]) =>
  rows.filter(({ name, value }) => name.trim() !== "" || value !== "");

/** Returns what is wrong with a draft, by field. `profile` is what is stored, or null. */
export function faultsOf(draft: Draft, profile: ConnectionProfile | null): Faults {
  const faults: Faults = {};
  if (!/^[a-z][a-z0-9_-]{0,62}$/.test(draft.name))
    faults.name = "Use lower-case letters, digits, - and _, and begin with a letter.";
  const url = URL.parse(draft.origin.trim());
  if (
    url?.protocol !== "https:" ||
    url.pathname !== "/" ||
    url.search !== "" ||
    url.hash !== "" ||
    url.username !== ""
  )
    faults.origin = "Enter https:// and a host name, such as https://api.example.com.";
  if (draft.methods.length === 0)
    faults.methods = "Choose at least one method. To stop all calls, disable it.";
  if (draft.headers === "keep" && profile !== null && url !== null && url.origin !== profile.origin)
    faults.headers = "The stored headers belong to the old origin. Enter them again, or remove them.";
  if (draft.headers === "replace") {
    const rows = filled(draft.rows);
    if (rows.length === 0) faults.headers = "Enter a header, or choose that there are none.";
    else if (rows.some(({ name, value }) => name.trim() === "" || value === ""))
      faults.headers = "Each header needs a name and a value.";
    else if (new Set(rows.map(({ name }) => name.trim().toLowerCase())).size < rows.length)
      faults.headers = "Two headers have the same name.";
  }
  return faults;
}

/** Returns the request that stores a draft. */
export const bodyOfDraft = ({
  origin,
  methods,
  enabled,
  requestHeaders,
  headers,
  rows,
}: Draft): ConnectionBody => ({
  origin: origin.trim().replace(/\/$/, ""),
  methods,
  enabled,
  requestHeaders: requestHeaders.split(/[\s,]+/).filter((name) => name !== ""),
  ...(headers === "keep"
    ? {}
    : {
        headers:
          headers === "remove"
            ? {}
            : Object.fromEntries(filled(rows).map(({ name, value }) => [name.trim(), value])),
      }),
});
