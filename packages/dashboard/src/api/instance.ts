import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { paths } from "../../../cli/dist-types/management-api.d.ts";
import { ADMIN_PAGES } from "./admin.ts";
import { api, bodyOf } from "./client.ts";
import { queries } from "./queries.ts";

/* What administrators read of the whole instance, and change. All keys begin with `["admin"]`. */

type Body<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { "application/json": infer Body } } } };
}
  ? Body
  : never;

export type InstanceOverview = Body<"/api/admin/instance/overview">;
export type AttentionKind = InstanceOverview["attention"][number]["kind"];
export type InstanceHealth = Body<"/api/admin/instance/health">;
export type ConfigSetting = Body<"/api/admin/instance/config">["settings"][number];
export type AuditEntry = Body<"/api/admin/audit">["entries"][number];
export type SettingsPatch = NonNullable<
  paths["/api/admin/settings"]["patch"]["requestBody"]
>["content"]["application/json"];

export const instanceOverviewQuery = queryOptions({
  queryKey: ["admin", "instance", "overview"],
  queryFn: ({ signal }) => bodyOf(api.GET("/api/admin/instance/overview", { signal })),
});

export const instanceHealthQuery = queryOptions({
  queryKey: ["admin", "instance", "health"],
  queryFn: ({ signal }) => bodyOf(api.GET("/api/admin/instance/health", { signal })),
  staleTime: 0,
});

export const instanceConfigQuery = queryOptions({
  queryKey: ["admin", "instance", "config"],
  queryFn: async ({ signal }) => (await bodyOf(api.GET("/api/admin/instance/config", { signal }))).settings,
});

/** A range of days in UTC. Without one, the service takes the current month. */
export interface DayRange {
  from?: string | undefined;
  to?: string | undefined;
}

export const instanceAiQuery = ({ from, to }: DayRange) =>
  queryOptions({
    queryKey: ["admin", "instance", "ai", from, to],
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/api/admin/ai/usage", { params: { query: { from, to } }, signal })),
    placeholderData: keepPreviousData,
  });

/** People whose quotas differ from those of the instance, or who are near one, the newest first. */
export const quotaPeopleQuery = (show: "quotasOwn" | "quotasNear") =>
  infiniteQueryOptions({
    queryKey: ["admin", "people", "quotas", show],
    queryFn: ({ pageParam, signal }) =>
      bodyOf(
        api.GET("/api/admin/users", { params: { query: { show, cursor: pageParam, limit: 50 } }, signal }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** Which entries of the audit log are shown. */
export interface AuditFilter extends DayRange {
  actor?: string | undefined;
  act?: string | undefined;
  target?: string | undefined;
  canvas?: string | undefined;
  /** The name of a program. */
  client?: string | undefined;
  q?: string | undefined;
}

export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ["admin", "audit", filter],
    queryFn: ({ pageParam, signal }) =>
      bodyOf(api.GET("/api/admin/audit", { params: { query: { ...filter, ...pageParam } }, signal })),
    ...ADMIN_PAGES,
  });

/** Returns the address of the export of some entries, which the browser saves while it is made. */
export function auditExportUrl(filter: AuditFilter, format: "jsonl" | "csv"): string {
  const given = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `/api/admin/audit/export?${new URLSearchParams([...given, ["format", format]])}`;
}

/** Changes settings of the instance, and reads again what shows them. */
export async function changeSettings(body: SettingsPatch): Promise<void> {
  await api.PATCH("/api/admin/settings", { body });
  await queries.invalidateQueries({ queryKey: ["admin"] });
}
