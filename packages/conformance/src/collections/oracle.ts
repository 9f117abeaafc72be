import type { CollectionPolicy, Operation, PolicyRight, Preset } from "@easel/protocol/policy";

/** A group of people to whom a right can be given. Participants are everyone with access to the canvas. */
type Group = "the author" | "managers" | "participants";

/** The groups that may read, create and change records under each preset (specification 2). */
const TABLE: Record<Preset, Record<"read" | "create" | "change", Group[]>> = {
  personal: { read: ["the author"], create: ["participants"], change: ["the author"] },
  submissions: {
    read: ["the author", "managers"],
    create: ["participants"],
    change: ["the author", "managers"],
  },
  contributions: { read: ["participants"], create: ["participants"], change: ["the author", "managers"] },
  managed: { read: ["participants"], create: ["managers"], change: ["managers"] },
  collaborative: { read: ["participants"], create: ["participants"], change: ["participants"] },
};

/** Maps each value that a right can have in a policy, such as `own`, to the groups of people who get the right. */
const RIGHTS: Record<PolicyRight, Group[]> = {
  none: [],
  own: ["the author"],
  editors: ["managers"],
  own_and_editors: ["the author", "managers"],
  viewers: ["participants"],
};

/** A caller: whether they are the owner or an editor of the canvas, and whether they are the author of the record. */
interface Caller {
  manages: boolean;
  isAuthor: boolean;
}

const among = (groups: Group[], { manages, isAuthor }: Caller) =>
  groups.includes("participants") ||
  (manages && groups.includes("managers")) ||
  (isAuthor && groups.includes("the author"));

/** Whether a caller may do an operation under a policy. Every operation except `create` also needs the right to read. */
export function mayDo(
  { preset, overrides = {} }: CollectionPolicy,
  operation: Operation,
  caller: Caller,
): boolean {
  const groupsFor = (each: Operation) => {
    const right = overrides[each];
    if (right !== undefined) return RIGHTS[right];
    return TABLE[preset][each === "read" || each === "create" ? each : "change"];
  };
  const needed: Operation[] = operation === "create" ? ["create"] : [operation, "read"];
  return needed.every((each) => among(groupsFor(each), caller));
}

/** Returns the expected outcome of an operation on a record. It is 404 if the caller cannot read the record. */
export function outcome(policy: CollectionPolicy, operation: Operation, caller: Caller): "done" | 403 | 404 {
  if (!mayDo(policy, "read", caller)) return 404;
  return mayDo(policy, operation, caller) ? "done" : 403;
}
