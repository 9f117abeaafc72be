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

/** A policy, and the operations to try under it. */
export interface Policed {
  name: string;
  policy: RecordPolicy;
  operations: readonly FileOperation[];
}

/** Every preset, and every override of the narrowest and of the widest preset. The matrix of records has all other overrides. */
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
 * The policies of the two fixed scopes (specification 4.4). Everyone admitted reads shared files, which owner and editors manage. Everyone
 * admitted uploads to the submission scope, where the uploader, owner and editors read, rename and delete.
 */
export const FIXED: Record<"shared" | "submission", CollectionPolicy> = {
  shared: { preset: "managed" },
  submission: { preset: "submissions" },
};

/** A scope of files, and the policy of its rights. */
export interface Case extends Policed {
  kind: "fixed" | "group" | "record";
}

/** The fixed scopes, and a group and a collection under each policy. */
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
