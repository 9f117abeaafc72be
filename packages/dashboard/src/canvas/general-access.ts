import type { Canvas } from "../api/types.ts";

/** The general access of a canvas: which people may enter besides those that it is shared with. */
export type Access = Canvas["access"];

/** For each general access, its name. */
export const ACCESS_NAMES: Record<Access, string> = {
  private: "Private",
  whole_org: "Organisation",
  public_link: "Public link",
};

/** For each general access, what it means. */
export const CONSEQUENCES: Record<Access, (organisation: string) => string> = {
  private: () => "Only the owner and those on this list can open it.",
  whole_org: (organisation) => `Everyone who signs in at ${organisation} can open it as a viewer.`,
  public_link: () =>
    "Anyone on the internet with the address can open the pages. Data and backend stay closed to them, also to viewers.",
};

/** Says whom general access admits, or null for nobody. `organisation` is its name, as far as it is known. */
export function everyoneBy(access: Access, organisation: string): string | null {
  if (access === "private") return null;
  return access === "whole_org" ? `everyone who signs in at ${organisation}` : "anyone with the address";
}
