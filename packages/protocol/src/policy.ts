/**
 * The rights in a policy, by name (specification 2). The fields of a right say which people have it: the author of the record, the
 * managers (the owner and the editors), and all people who may open the canvas.
 */
export const RIGHTS = {
  none: { author: false, managers: false, everyone: false },
  own: { author: true, managers: false, everyone: false },
  editors: { author: false, managers: true, everyone: false },
  own_and_editors: { author: true, managers: true, everyone: false },
  viewers: { author: true, managers: true, everyone: true },
} as const;

/** Name of a right: who may do something with a record. */
export type PolicyRight = keyof typeof RIGHTS;

/**
 * The rights that do not depend on who is the author of a record. Only these can be set for creating and counting records and for channels.
 */
export const AUDIENCES = ["none", "editors", "viewers"] as const satisfies PolicyRight[];
export type PolicyAudience = (typeof AUDIENCES)[number];

/** The presets of collections and file groups, each with its rights (specification 2). */
export const PRESETS = {
  personal: { read: "own", create: "viewers", update: "own", delete: "own" },
  submissions: {
    read: "own_and_editors",
    create: "viewers",
    update: "own_and_editors",
    delete: "own_and_editors",
  },
  contributions: { read: "viewers", create: "viewers", update: "own_and_editors", delete: "own_and_editors" },
  managed: { read: "viewers", create: "editors", update: "editors", delete: "editors" },
  collaborative: { read: "viewers", create: "viewers", update: "viewers", delete: "viewers" },
} as const satisfies Record<
  string,
  { read: PolicyRight; create: PolicyAudience; update: PolicyRight; delete: PolicyRight }
>;

/** Name of a preset. */
export type Preset = keyof typeof PRESETS;

/** Operations on records, in the order in which responses list them. Files have all but `increment`. */
export const OPERATIONS = ["read", "create", "update", "delete", "increment"] as const;
export type Operation = (typeof OPERATIONS)[number];

const RESOURCE_NAME = /^[A-Za-z0-9][A-Za-z0-9.:_-]{0,79}$/;

/**
 * Whether a text is a valid name for a collection, file group, channel or Connection in a policy (specification 2): 1 to 80 letters,
 * digits, dots, colons, underscores or hyphens. Names that every JavaScript object inherits, such as `constructor`, are not valid.
 */
export const isResourceName = (text: string): boolean =>
  RESOURCE_NAME.test(text) && !(text in Object.prototype) && text !== "prototype";

/** Rights that replace those of the preset. */
export interface Overrides {
  read?: PolicyRight | undefined;
  create?: PolicyAudience | undefined;
  update?: PolicyRight | undefined;
  delete?: PolicyRight | undefined;
  increment?: PolicyRight | undefined;
}

/** The policy of a file group. The policy of a collection has these fields too. */
export interface RecordPolicy {
  preset: Preset;
  overrides?: Overrides | undefined;
  /** The phases that the owner and editors can switch to, by name: the rights that replace others while the phase lasts. */
  phases?: Record<string, Overrides> | undefined;
}

/** The sections of a policy whose entries can have phases. */
export const PHASED = ["collections", "fileGroups"] as const;
export type PhasedSection = (typeof PHASED)[number];

/** The policy of a collection. */
export interface CollectionPolicy extends RecordPolicy {
  /** The roles that may count all records, including those that they cannot read. */
  aggregateCount?: PolicyAudience | undefined;
  /** The fields, such as `authorId` and `value.card`, by which records are unique: no two have equal values in all of them. */
  unique?: string[] | undefined;
}

/** The policy of a channel: who may do each of these actions. */
export type ChannelPolicy = Record<
  "subscribe" | "publish" | "seePresence" | "participatePresence",
  PolicyAudience
>;

/** The people who may use a capability: only the owner and the editors, or viewers as well. */
export type Audience = "editors" | "viewers";

/** The methods that a Connection can allow. */
export const CONNECTION_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
export type ConnectionMethod = (typeof CONNECTION_METHODS)[number];

/** The policy of a Connection, through which pages send requests to an external API. */
export interface ConnectionPolicy {
  audience: PolicyAudience;
  /** The methods that pages may use. If `methods` is absent, they may use all methods that the administrator allows. */
  methods?: ConnectionMethod[] | undefined;
}

/** Policy document of a canvas, written by its owner or editors (specification 2). */
export interface RuntimePolicy {
  defaultMode?: "read_only" | "participation" | "collaboration" | undefined;
  collections?: Record<string, CollectionPolicy> | undefined;
  fileGroups?: Record<string, RecordPolicy> | undefined;
  channels?: Record<string, ChannelPolicy> | undefined;
  connections?: Record<string, ConnectionPolicy> | undefined;
}
