import type { Canvas, Me } from "../api/types.ts";

/** Returns the name of the organisation of a canvas. Only its owner is certainly in the same one. */
export function organisationOf({ viewerRole }: Canvas, { orgs }: Me): string {
  if (orgs.length === 0) return "this service";
  return viewerRole === "owner" && orgs.length === 1 ? (orgs[0]?.name ?? "") : "its organisation";
}
