import type { Audience } from "./types.ts";

/** The presets of collections and file groups (specification 2). */
export const PRESETS = ["personal", "submissions", "contributions", "managed", "collaborative"] as const;
export type Preset = (typeof PRESETS)[number];

/** Who may do something with a record: nobody, its author, owners and editors, both, or everyone admitted. */
export const RIGHTS = ["none", "own", "editors", "own_and_editors", "viewers"] as const;
export type PolicyRight = (typeof RIGHTS)[number];

/** The same where authorship does not come into it: creating, counting, channels. */
export const AUDIENCES = ["none", "editors", "viewers"] as const;
export type PolicyAudience = (typeof AUDIENCES)[number];

/** What may be overridden of a collection's preset. */
export interface Overrides {
  read?: PolicyRight | undefined;
  create?: PolicyAudience | undefined;
  update?: PolicyRight | undefined;
  delete?: PolicyRight | undefined;
  increment?: PolicyRight | undefined;
}

/** What an owner or editor says of named collections, file groups, channels and Connections (specification 2). */
export interface RuntimePolicy {
  defaultMode?: "read_only" | "participation" | "collaboration" | undefined;
  collections?:
    | Record<
        string,
        { preset: Preset; overrides?: Overrides | undefined; aggregateCount?: PolicyAudience | undefined }
      >
    | undefined;
  fileGroups?:
    | Record<string, { preset: Preset; overrides?: Omit<Overrides, "increment"> | undefined }>
    | undefined;
  channels?:
    | Record<string, Record<"subscribe" | "publish" | "seePresence" | "participatePresence", PolicyAudience>>
    | undefined;
  connections?: Record<string, { audience: Audience; methods?: string[] | undefined }> | undefined;
}
