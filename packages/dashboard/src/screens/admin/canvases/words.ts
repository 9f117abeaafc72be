import type { AdminCanvas } from "../../../api/types.ts";

/** Returns who may open a canvas, in a few words. Administrators do not see the people with whom it is shared. */
export function accessWords({ access, hasPassword }: Pick<AdminCanvas, "access" | "hasPassword">): string {
  const who =
    access === "public_link"
      ? "Anyone"
      : access === "whole_org"
        ? "The organisation"
        : "People it is shared with";
  return hasPassword ? `${who}, password` : who;
}
