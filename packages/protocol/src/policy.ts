/**
 * To whom each right opens something (specification 2): the author of the record, owners and editors, everyone who is
 * admitted.
 */
export const RIGHTS = {
  none: { author: false, managers: false, everyone: false },
  own: { author: true, managers: false, everyone: false },
  editors: { author: false, managers: true, everyone: false },
  own_and_editors: { author: true, managers: true, everyone: false },
  viewers: { author: true, managers: true, everyone: true },
} as const;

/** Who may do something with a record. */
export type PolicyRight = keyof typeof RIGHTS;

/** The rights that authorship does not come into: creating, counting, channels. */
export const AUDIENCES = ["none", "editors", "viewers"] as const satisfies PolicyRight[];
export type PolicyAudience = (typeof AUDIENCES)[number];

/** The presets of collections and file groups (specification 2). */
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

/** The name of a preset. */
export type Preset = keyof typeof PRESETS;

/** What can be done with records, and with files but for increment; in this order wherever they are listed. */
export const OPERATIONS = ["read", "create", "update", "delete", "increment"] as const;
export type Operation = (typeof OPERATIONS)[number];

const RESOURCE_NAME = /^[A-Za-z0-9][A-Za-z0-9.:_-]{0,79}$/;

/**
 * Tells whether a text may name a collection, file group, channel or Connection in a policy (specification 2): 1 to 80 letters,
 * digits, dots, colons, underscores or hyphens, and no name that every object has.
 */
export const isResourceName = (text: string): boolean =>
  RESOURCE_NAME.test(text) && !(text in Object.prototype) && text !== "prototype";

/** Rights that a policy gives in place of its preset's. */
export interface Overrides {
  read?: PolicyRight | undefined;
  create?: PolicyAudience | undefined;
  update?: PolicyRight | undefined;
  delete?: PolicyRight | undefined;
  increment?: PolicyRight | undefined;
}

/** What a policy says of a collection or file group. */
export interface RecordPolicy {
  preset: Preset;
  overrides?: Overrides | undefined;
}

/** The same of a collection, which may be counted. */
export interface CollectionPolicy extends RecordPolicy {
  aggregateCount?: PolicyAudience | undefined;
}

/** What a policy says of a channel. */
export type ChannelPolicy = Record<
  "subscribe" | "publish" | "seePresence" | "participatePresence",
  PolicyAudience
>;

/** Who may use a capability besides owners and editors. */
export type Audience = "editors" | "viewers";

/** What a policy says of a Connection. */
export interface ConnectionPolicy {
  audience: Audience;
  methods?: string[] | undefined;
}

/** What an owner or editor says of named collections, file groups, channels and Connections (specification 2). */
export interface RuntimePolicy {
  defaultMode?: "read_only" | "participation" | "collaboration" | undefined;
  collections?: Record<string, CollectionPolicy> | undefined;
  fileGroups?: Record<string, RecordPolicy> | undefined;
  channels?: Record<string, ChannelPolicy> | undefined;
  connections?: Record<string, ConnectionPolicy> | undefined;
}
