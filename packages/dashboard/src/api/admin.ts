import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "./client.ts";

/* What administrators read. All keys begin with `["admin"]`. */

export const organisationsQuery = queryOptions({
  queryKey: ["admin", "organisations"],
  queryFn: async ({ signal }) => (await bodyOf(api.GET("/api/admin/orgs", { signal }))).orgs,
});
