import type { CollectionPolicy, Operation } from "@easel/protocol/policy";
import type { Rights } from "@easel/protocol/types";

/** Returns why the person does not see all records of a collection, or null if they do. The service decides; this says so in words. */
export function whyHidden(rights: Rights, { preset, overrides }: CollectionPolicy): string | null {
  if (rights.read.any) return null;
  const who = overrides?.read === undefined ? `The preset ${preset}` : "The policy";
  return rights.read.own
    ? `${who} shows each person only their own records, you too.`
    : `${who} shows nobody these records, you neither.`;
}

const VERBS = { create: "add", update: "change", delete: "delete" } as const;

/** Returns why the person may not do something with a record, or null if they may. `isOwn`: whether it is theirs. */
export function whyNot(
  rights: Rights,
  operation: Operation & keyof typeof VERBS,
  isOwn: boolean,
): string | null {
  const { own, any } = rights[operation];
  if (any || (own && isOwn)) return null;
  const verb = VERBS[operation];
  return own
    ? `The policy lets only its author ${verb} a record of this collection.`
    : operation === "create"
      ? "The policy lets nobody add records to this collection."
      : `The policy lets nobody ${verb} records of this collection.`;
}
