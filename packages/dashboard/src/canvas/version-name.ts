import type { Version } from "../api/types.ts";

const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** Returns the name of a version in a sentence: when it was stored, such as "7 Jan 2026, 14:03:22". */
export const nameOf = ({ createdAt }: Pick<Version, "createdAt">): string => exact.format(createdAt);
