import { queryOptions } from "@tanstack/react-query";

/** The check of a document, by the schema of the service. It is loaded beside the screen, because it is larger. */
export const checkerQuery = queryOptions({
  queryKey: ["policy-checker"],
  queryFn: async () => (await import("./check.ts")).checkPolicy,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  structuralSharing: false,
});
