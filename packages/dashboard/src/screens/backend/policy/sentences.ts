import {
  type ChannelPolicy,
  type CollectionPolicy,
  type ConnectionPolicy,
  OPERATIONS,
  type Operation,
  type PolicyAudience,
  type PolicyRight,
  type RecordPolicy,
  RIGHTS,
} from "@easel/protocol/policy";
import { rightsOf } from "@easel/server/rights";
import { isolated, listOf } from "../../../kit/words.ts";

/** The rights in words, as a choice shows them. */
export const RIGHT_NAMES: Readonly<Record<PolicyRight, string>> = {
  none: "Nobody",
  own: "The author",
  editors: "Owner and editors",
  own_and_editors: "Author, owner and editors",
  viewers: "Everyone",
};

/** What an entry is about. Files have no numbers that could be increased. */
export type Thing = "records" | "files";

/** The verbs of the operations, for one person and for several. */
const VERBS = {
  records: {
    read: ["reads", "read"],
    create: ["adds", "add"],
    update: ["changes", "change"],
    delete: ["deletes", "delete"],
    increment: ["counts up numbers in", "count up numbers in"],
  },
  files: {
    read: ["opens", "open"],
    create: ["uploads", "upload"],
    update: ["renames", "rename"],
    delete: ["deletes", "delete"],
    increment: ["", ""],
  },
} as const satisfies Record<Thing, Record<Operation, readonly [string, string]>>;

/** The operations in words, as the rows of the table name them. */
export const OPERATION_NAMES: Readonly<Record<Thing, Readonly<Record<Operation, string>>>> = {
  records: { read: "Read", create: "Add", update: "Change", delete: "Delete", increment: "Count up numbers" },
  files: { read: "Open", create: "Upload", update: "Rename", delete: "Delete", increment: "" },
};

/** The operations of a thing, in the order of the table. */
export const operationsOf = (thing: Thing): readonly Operation[] =>
  thing === "records" ? OPERATIONS : OPERATIONS.filter((each) => each !== "increment");

/**
 * Who may do something in the end: a right, or `own_of_editors` if the owner and the editors may do it with what they have made themselves, as a
 * right of authors that only they can use, because only they may read.
 */
export type Reach = PolicyRight | "own_of_editors";

/** Returns who may do each operation in the end, by the rule that decides about requests: what nobody may read, nobody changes. */
export function reachOf(policy: RecordPolicy): Record<Operation, Reach> {
  const [viewer, owner] = [rightsOf(policy, "viewer"), rightsOf(policy, "owner")];
  const entries = OPERATIONS.map((operation) => {
    const wanted = {
      author: viewer[operation].own,
      managers: owner[operation].any,
      everyone: viewer[operation].any,
    };
    const found = (Object.keys(RIGHTS) as PolicyRight[]).find((name) => {
      const { author, managers, everyone } = RIGHTS[name];
      return author === wanted.author && managers === wanted.managers && everyone === wanted.everyone;
    });
    if (found === undefined) throw new Error("rights that no right gives");
    return [operation, found === "none" && owner[operation].own ? "own_of_editors" : found];
  });
  return Object.fromEntries(entries);
}

const quoted = (name: string): string => `“${isolated(name)}”`;

/** Returns a sentence for what is done with things that exist, such as to change and delete them. */
function sentenceFor(reach: Reach, operations: readonly Operation[], thing: Thing): string {
  const verbs = (form: 0 | 1) => listOf(operations.map((each) => VERBS[thing][each][form]));
  const either = operations.map((each) => VERBS[thing][each][0]).join(" or ");
  switch (reach) {
    case "none":
      return `Nobody ${either} ${thing}.`;
    case "own":
      return `People ${verbs(1)} only their own.`;
    case "editors":
      return `Only the owner and editors ${verbs(1)} ${thing}.`;
    case "own_and_editors":
      return `People ${verbs(1)} their own; owner and editors ${verbs(1)} any.`;
    case "own_of_editors":
      return `Only the owner and editors ${verbs(1)} ${thing}, each their own.`;
    case "viewers":
      return `Everyone ${verbs(0)} any.`;
  }
}

/** Returns a sentence that says who may do one operation in the end. */
export function sentenceOf(policy: RecordPolicy, operation: Operation, thing: Thing): string {
  const reach = reachOf(policy)[operation];
  const [one, several] = VERBS[thing][operation];
  if (operation === "create") {
    if (reach === "viewers") return `Everyone who may open this canvas ${one} ${thing}.`;
    return reach === "none" ? `Nobody ${one} ${thing}.` : `Only the owner and editors ${several} ${thing}.`;
  }
  if (operation !== "read") return sentenceFor(reach, [operation], thing);
  switch (reach) {
    case "viewers":
      return `Everyone who may open this canvas ${one} all ${thing}.`;
    case "own":
      return `Everyone ${one} only their own ${thing}, also the owner and editors.`;
    case "own_and_editors":
      return `People ${several} their own ${thing}; owner and editors ${several} all.`;
    default:
      return sentenceFor(reach, [operation], thing);
  }
}

/** Returns the rights of an entry in sentences. Operations that the same people may do share one. */
export function sentencesOf(policy: RecordPolicy, thing: Thing): string[] {
  const reach = reachOf(policy);
  const [read, add] = [VERBS[thing].read[0], VERBS[thing].create[0]];
  const first =
    reach.read === "viewers" && reach.create === "viewers"
      ? [`Everyone who may open this canvas ${read} all ${thing} and ${add} their own.`]
      : [sentenceOf(policy, "read", thing), sentenceOf(policy, "create", thing)];
  const further = operationsOf(thing).filter(
    (each) =>
      each === "update" || each === "delete" || (each === "increment" && reach.increment !== reach.update),
  );
  const groups = Map.groupBy(further, (each) => reach[each]);
  return [...first, ...[...groups].map(([who, operations]) => sentenceFor(who, operations, thing))];
}

/** Returns what a collection has besides rights, in sentences. */
export function furtherSentencesOf({ aggregateCount, unique }: CollectionPolicy): string[] {
  const counting: Record<PolicyAudience, string> = {
    none: "Nobody counts records that they cannot read.",
    editors: "Owner and editors see how many records there are in all.",
    viewers: "Everyone sees how many records there are in all, also of those that they cannot read.",
  };
  const fields = unique?.map((field) =>
    field === "authorId" ? "author" : quoted(field.slice("value.".length)),
  );
  return [
    ...(aggregateCount === undefined ? [] : [counting[aggregateCount]]),
    ...(fields === undefined ? [] : [`No two records have the same ${listOf(fields)}.`]),
  ];
}

/** Returns the rights of an entry while a phase lasts. */
export const inPhase = <Policy extends RecordPolicy>(policy: Policy, phase: string): Policy => ({
  ...policy,
  overrides: { ...policy.overrides, ...policy.phases?.[phase] },
});

/** What somebody may do on a channel, for one person and for several. */
const CHANNEL_VERBS = {
  subscribe: ["receives messages", "receive messages"],
  publish: ["sends messages", "send messages"],
  seePresence: ["sees who is there", "see who is there"],
  participatePresence: ["is seen by them", "are seen by them"],
} as const satisfies Record<keyof ChannelPolicy, readonly [string, string]>;

/** The actions of channels in words, as the rows of the table name them. */
export const ACTION_NAMES: Readonly<Record<keyof ChannelPolicy, string>> = {
  subscribe: "Receive messages",
  publish: "Send messages",
  seePresence: "See who is there",
  participatePresence: "Be seen as there",
};
export const ACTIONS = Object.keys(ACTION_NAMES) as (keyof ChannelPolicy)[];

/** Returns the rights on a channel in sentences. */
export function channelSentences(policy: ChannelPolicy): string[] {
  const groups = Map.groupBy(ACTIONS, (action) => policy[action]);
  return (["viewers", "editors", "none"] as const).flatMap((audience) => {
    const actions = groups.get(audience);
    if (actions === undefined) return [];
    const verbs = (form: 0 | 1) => actions.map((action) => CHANNEL_VERBS[action][form]);
    if (audience === "none") return [`Nobody ${verbs(0).join(" or ")}.`];
    return audience === "viewers"
      ? [`Everyone who may open this canvas ${listOf(verbs(0))}.`]
      : [`Only the owner and editors ${listOf(verbs(1))}.`];
  });
}

/** Returns who may send requests through a Connection, in a sentence. */
export function connectionSentence({ audience, methods }: ConnectionPolicy): string {
  if (audience === "none" || methods?.length === 0) return "Nobody sends requests through it.";
  const who =
    audience === "viewers" ? "Everyone who may open this canvas sends" : "Only the owner and editors send";
  return `${who} requests, with ${methods === undefined ? "all methods that the administrator allows" : listOf(methods)}.`;
}
