import {
  AUDIENCES,
  type CollectionPolicy,
  type Operation,
  type PolicyRight,
  PRESETS,
  type Preset,
  type RecordPolicy,
  RIGHTS,
} from "@easel/protocol/policy";

const FILE_OPERATIONS = ["read", "create", "update", "delete"] as const satisfies Operation[];
/** An operation on files. */
export type FileOperation = (typeof FILE_OPERATIONS)[number];

/** A policy of a file group or a collection, and the operations that the tests try on its files. */
export interface Policed {
  name: string;
  policy: RecordPolicy;
  operations: readonly FileOperation[];
}

/**
 * The policies to test: every preset alone, and `personal` and `collaborative`, the narrowest and the widest preset, with one override
 * each, such as `read: "none"`. The tests of collections try overrides in all presets.
 */
export const POLICED: Policed[] = (Object.keys(PRESETS) as Preset[]).flatMap((preset) => [
  { name: preset, policy: { preset }, operations: FILE_OPERATIONS },
  ...(preset !== "personal" && preset !== "collaborative" ? [] : FILE_OPERATIONS).flatMap((operation) => {
    const rights: readonly PolicyRight[] =
      operation === "create" ? AUDIENCES : (Object.keys(RIGHTS) as PolicyRight[]);
    return rights.map((right) => ({
      name: `${preset}.${operation}.${right}`,
      policy: { preset, overrides: { [operation]: right } },
      operations: operation === "read" ? FILE_OPERATIONS : [operation],
    }));
  }),
]);

/**
 * The policies of the file scopes `shared` and `submission`, which no policy document can change (specification 4.4). In `shared`, everyone
 * with access to the canvas reads; the owner and editors upload, rename and delete. In `submission`, everyone with access uploads; the
 * uploader, the owner and editors read, rename and delete.
 */
export const FIXED: Record<"shared" | "submission", CollectionPolicy> = {
  shared: { preset: "managed" },
  submission: { preset: "submissions" },
};

/**
 * A file scope to test, and the policy that says who may read and change its files. `kind` is `fixed` for the scopes `shared` and
 * `submission`, `group` for a file group, and `record` for files that are attached to the records of a collection.
 */
export interface Case extends Policed {
  kind: "fixed" | "group" | "record";
}

/**
 * The file scopes to test: `shared`, `submission`, and two for each policy in `POLICED`. One of the two is a file group with this policy.
 * The other is a collection with this policy, to whose records files are attached.
 */
export const CASES: Case[] = [
  ...Object.entries(FIXED).map(([name, policy]) => ({
    kind: "fixed" as const,
    name,
    policy,
    operations: FILE_OPERATIONS,
  })),
  ...POLICED.map((each) => ({ kind: "group" as const, ...each })),
  ...POLICED.map((each) => ({ kind: "record" as const, ...each })),
];
