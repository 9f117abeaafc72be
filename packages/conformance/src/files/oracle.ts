import type { CollectionPolicy } from "@easel/protocol/policy";

/**
 * The policies of the two fixed scopes (specification 4.4): owner and editors manage the shared files, which everyone admitted reads;
 * everyone admitted uploads to the submission scope, where the uploader, owner and editors do the rest.
 */
export const FIXED: Record<"shared" | "submission", CollectionPolicy> = {
  shared: { preset: "managed" },
  submission: { preset: "submissions" },
};
