import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { paths } from "../../../cli/dist-types/management-api.d.ts";
import { api, bodyOf } from "./client.ts";
import { canvasChanged, queries } from "./queries.ts";

/* What administrators read and do. All keys begin with `["admin"]`. */

type Filters<Path extends keyof paths> = paths[Path] extends { get: { parameters: { query?: infer Query } } }
  ? Omit<NonNullable<Query>, "cursor" | "limit">
  : never;
type BodyOf<Path extends keyof paths, Method extends "put" | "patch" | "post"> =
  paths[Path] extends Record<Method, { requestBody?: { content: { "application/json": infer Body } } }>
    ? Body
    : never;

export type PeopleFilters = Filters<"/api/admin/users">;
export type AdminCanvasFilters = Filters<"/api/admin/canvases">;

/** The size of a page, and that of the pages after the first five, for somebody who goes to the end of a long list. */
const PAGE = 100;
const LARGE_PAGE = 1_000;
const SMALL_PAGES = 5;

/** How the pages of a list of administrators follow each other. While others are read, those of the last filter stay. */
export const ADMIN_PAGES = {
  initialPageParam: { limit: PAGE } as { limit: number; cursor?: string },
  getNextPageParam: ({ nextCursor }: { nextCursor: string | null }, pages: readonly unknown[]) =>
    nextCursor === null
      ? null
      : { cursor: nextCursor, limit: pages.length < SMALL_PAGES ? PAGE : LARGE_PAGE },
  placeholderData: keepPreviousData,
} as const;

export const peopleQuery = (filters: PeopleFilters) =>
  infiniteQueryOptions({
    queryKey: ["admin", "people", "list", filters],
    queryFn: ({ pageParam, signal }) =>
      bodyOf(api.GET("/api/admin/users", { params: { query: { ...filters, ...pageParam } }, signal })),
    ...ADMIN_PAGES,
  });

export const personQuery = (id: string) =>
  queryOptions({
    queryKey: ["admin", "people", "one", id],
    queryFn: ({ signal }) => bodyOf(api.GET("/api/admin/users/{id}", { params: { path: { id } }, signal })),
  });

/** The connected tools of a person, of which one person has fewer than a page. */
export const personToolsQuery = (id: string) =>
  queryOptions({
    queryKey: ["admin", "people", "tools", id],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET("/api/admin/users/{id}/apps", { params: { path: { id } }, signal }))).apps,
  });

/** Where a person is signed in. */
export const personSessionsQuery = (id: string) =>
  queryOptions({
    queryKey: ["admin", "people", "sessions", id],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET("/api/admin/users/{id}/sessions", { params: { path: { id } }, signal })))
        .sessions,
  });

/** The accounts at sign-in services by which a person is recognised. */
export const personAccountsQuery = (id: string) =>
  queryOptions({
    queryKey: ["admin", "people", "accounts", id],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET("/api/admin/users/{id}/identities", { params: { path: { id } }, signal })))
        .identities,
  });

/** The first page of the guests whom a person has invited. */
export const personGuestsQuery = (id: string) =>
  queryOptions({
    queryKey: ["admin", "people", "guests", id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/api/admin/users/{id}/guests", { params: { path: { id } }, signal })),
  });

/** The programs that people have connected, page after page. */
export const toolsInUseQuery = infiniteQueryOptions({
  queryKey: ["admin", "tools"],
  queryFn: ({ pageParam: cursor, signal }) =>
    bodyOf(api.GET("/api/admin/apps", { params: { query: { cursor } }, signal })),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

/** What a person owns: the first 1,000 canvases, which is as many as one handover moves, and all teams. */
export const handoverQuery = (id: string) =>
  queryOptions({
    queryKey: ["admin", "people", "handover", id],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET("/api/admin/users/{id}/handover", {
          params: { path: { id }, query: { limit: 1_000 } },
          signal,
        }),
      ),
  });

/** The number of people or canvases that a search finds. */
export const FOUND = 8;

/** The first active people whose name or address contains `q`. */
export const foundPeopleQuery = (q: string) =>
  queryOptions({
    queryKey: ["admin", "people", "found", q],
    queryFn: async ({ signal }) =>
      (
        await bodyOf(
          api.GET("/api/admin/users", { params: { query: { q, show: "active", limit: FOUND } }, signal }),
        )
      ).users,
    enabled: q !== "",
    placeholderData: keepPreviousData,
  });

export const adminCanvasesQuery = (filters: AdminCanvasFilters) =>
  infiniteQueryOptions({
    queryKey: ["admin", "canvases", "list", filters],
    queryFn: ({ pageParam, signal }) =>
      bodyOf(api.GET("/api/admin/canvases", { params: { query: { ...filters, ...pageParam } }, signal })),
    ...ADMIN_PAGES,
  });

export const adminCanvasQuery = (id: string) =>
  queryOptions({
    queryKey: ["admin", "canvases", "one", id],
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/api/admin/canvases/{id}", { params: { path: { id } }, signal })),
  });

/** The first canvases whose title, address or owner contains `q`. */
export const foundCanvasesQuery = (q: string) =>
  queryOptions({
    queryKey: ["admin", "canvases", "found", q],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET("/api/admin/canvases", { params: { query: { q, limit: FOUND } }, signal })))
        .canvases,
    enabled: q !== "",
    placeholderData: keepPreviousData,
  });

/** The settings of the instance as they are in effect. */
export const adminSettingsQuery = queryOptions({
  queryKey: ["admin", "settings"],
  queryFn: ({ signal }) => bodyOf(api.GET("/api/admin/settings", { signal })),
});

export const organisationsQuery = queryOptions({
  queryKey: ["admin", "organisations"],
  queryFn: async ({ signal }) => (await bodyOf(api.GET("/api/admin/orgs", { signal }))).orgs,
});

export const connectionsQuery = queryOptions({
  queryKey: ["admin", "connections"],
  queryFn: async ({ signal }) => (await bodyOf(api.GET("/api/admin/connections", { signal }))).connections,
});

export const profileUsageQuery = (profile: string) =>
  queryOptions({
    queryKey: ["admin", "connections", profile, "usage"],
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/api/admin/connections/{profile}/usage", { params: { path: { profile } }, signal })),
  });

export type PersonPatch = BodyOf<"/api/admin/users/{id}", "patch">;
export type HandoverOrder = BodyOf<"/api/admin/users/{id}/handover", "post">;
export type ConnectionBody = BodyOf<"/api/admin/connections/{profile}", "put">;
export type GrantBody = BodyOf<"/api/admin/connections/{profile}/grants/{canvasId}", "put">;
export type TestBody = BodyOf<"/api/admin/connections/{profile}/test", "post">;
export type OrganisationBody = BodyOf<"/api/admin/orgs/{id}", "put">;

const of = (id: string) => ({ params: { path: { id } } });
const named = (profile: string) => ({ params: { path: { profile } } });
const granted = (profile: string, canvasId: string) => ({ params: { path: { profile, canvasId } } });

export const updatePerson = (id: string, body: PersonPatch) =>
  bodyOf(api.PATCH("/api/admin/users/{id}", { ...of(id), body }));

export const signOutPerson = (id: string): Promise<unknown> =>
  api.POST("/api/admin/users/{id}/sign-out", of(id));

export type NewPerson = BodyOf<"/api/admin/users", "post">;

export const addPerson = (body: NewPerson) => bodyOf(api.POST("/api/admin/users", { body }));

/** Ends the sessions of a person, or one of them. */
export const endSessionsOf = (id: string, session?: string) =>
  bodyOf(api.DELETE("/api/admin/users/{id}/sessions", { params: { path: { id }, query: { session } } }));

/** Unlinks a person from their accounts, and ends their sessions. */
export const unlinkPerson = (id: string) => bodyOf(api.DELETE("/api/admin/users/{id}/identities", of(id)));

/** Signs everyone else out; with `tokens`, access tokens and connected tools end, too. */
export const endAllSessions = (tokens: boolean) =>
  bodyOf(api.DELETE("/api/admin/sessions", { params: { query: { tokens: tokens ? "true" : "false" } } }));

/** Ends the access of the guests whom a person has invited, or of one of them. */
export const endGuestsOf = (id: string, invite?: string) =>
  bodyOf(api.DELETE("/api/admin/users/{id}/guests", { params: { path: { id }, query: { invite } } }));

/** The address from which the browser downloads what the service stores of a person. */
export const personExportUrl = (id: string): string => `/api/admin/users/${id}/export`;

/** Erases a person for good. What they own goes to the member with the address `transferTo`, if it is not empty. */
export const erasePerson = (id: string, transferTo: string) =>
  bodyOf(
    api.DELETE("/api/admin/users/{id}", {
      params: { path: { id }, query: transferTo === "" ? {} : { transferTo } },
    }),
  );

export const takeCanvas = (id: string, reason: string) =>
  bodyOf(api.POST("/api/admin/canvases/{id}/take", { ...of(id), body: reason === "" ? {} : { reason } }));

/** Ends the connected tools of a person, or one of them. */
export const endToolsOf = (id: string, app?: string) =>
  bodyOf(api.DELETE("/api/admin/users/{id}/apps", { params: { path: { id }, query: { app } } }));

/** Ends the tools that all people have of one program. */
export const endProgram = (client: string) => bodyOf(api.POST("/api/admin/apps/end", { body: { client } }));

export const handOver = (id: string, body: HandoverOrder) =>
  bodyOf(api.POST("/api/admin/users/{id}/handover", { ...of(id), body }));

export const disableCanvas = (id: string, reason: string) =>
  bodyOf(api.POST("/api/admin/canvases/{id}/disable", { ...of(id), body: reason === "" ? {} : { reason } }));

export const enableCanvas = (id: string) => bodyOf(api.POST("/api/admin/canvases/{id}/enable", of(id)));

export const restoreAnyCanvas = (id: string) => bodyOf(api.POST("/api/admin/canvases/{id}/restore", of(id)));

export const reassignCanvas = (id: string, email: string, reason: string) =>
  bodyOf(
    api.PUT("/api/admin/canvases/{id}/owner", {
      ...of(id),
      body: { email, ...(reason === "" ? {} : { reason }) },
    }),
  );

export const previewOrganisation = (id: string, domains: string[]) =>
  bodyOf(api.POST("/api/admin/orgs/{id}/preview", { ...of(id), body: { domains } }));

export const putOrganisation = (id: string, body: OrganisationBody) =>
  bodyOf(api.PUT("/api/admin/orgs/{id}", { ...of(id), body }));

export const deleteOrganisation = (id: string): Promise<unknown> =>
  api.DELETE("/api/admin/orgs/{id}", of(id));

export const putConnection = (profile: string, body: ConnectionBody) =>
  bodyOf(api.PUT("/api/admin/connections/{profile}", { ...named(profile), body }));

export const deleteConnection = (profile: string): Promise<unknown> =>
  api.DELETE("/api/admin/connections/{profile}", named(profile));

export const testConnection = (profile: string, body: TestBody) =>
  bodyOf(api.POST("/api/admin/connections/{profile}/test", { ...named(profile), body }));

export const grantConnection = (profile: string, canvasId: string, body: GrantBody): Promise<unknown> =>
  api.PUT("/api/admin/connections/{profile}/grants/{canvasId}", { ...granted(profile, canvasId), body });

export const revokeConnection = (profile: string, canvasId: string): Promise<unknown> =>
  api.DELETE("/api/admin/connections/{profile}/grants/{canvasId}", granted(profile, canvasId));

/** Reads again all that administrators have read, and what is known of a canvas besides: the caller may also be one of its people. */
export async function adminChanged(canvas?: string): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ["admin"] }),
    ...(canvas === undefined ? [] : [canvasChanged(canvas)]),
  ]);
}
