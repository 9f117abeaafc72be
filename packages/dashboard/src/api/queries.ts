import { QueryClient, queryOptions } from "@tanstack/react-query";
import { isPassing, refusalOf } from "./api-error.ts";
import { api, bodyOf } from "./client.ts";

/** The number of times that a read is sent again while the service is busy or cannot be reached. */
const RETRIES = 3;

/** The reads of the dashboard, and how they are kept. A change invalidates what it may have changed. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry(count, error) {
        const refusal = refusalOf(error);
        return count < RETRIES && refusal !== null && isPassing(refusal);
      },
      retryDelay: (count, error) => 1_000 * (refusalOf(error)?.retryAfter ?? 2 ** count),
    },
    mutations: { retry: false },
  },
});

/** The caller and the instance. */
export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => bodyOf(api.GET("/api/me", { signal })),
  staleTime: 300_000,
});

/** All that is known of a canvas has a key that begins with `["canvas", id]`. */
export const canvasKey = (id: string, ...part: string[]) => ["canvas", id, ...part] as const;

export const canvasQuery = (id: string) =>
  queryOptions({
    queryKey: canvasKey(id),
    queryFn: ({ signal }) => bodyOf(api.GET("/api/canvases/{id}", { params: { path: { id } }, signal })),
  });

export const versionsQuery = (id: string) =>
  queryOptions({
    queryKey: canvasKey(id, "versions"),
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET("/api/canvases/{id}/versions", { params: { path: { id } }, signal }))).versions,
  });

/**
 * What a canvas uses of its quotas, and how often it is opened, from the first day of the range (UTC) to the last one. For editors, as the two
 * below.
 */
export const usageQuery = (id: string, query: { from: string; to: string }) =>
  queryOptions({
    queryKey: canvasKey(id, "usage", query.from, query.to),
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/api/canvases/{id}/usage", { params: { path: { id }, query }, signal })),
  });

/** The newest refused and failed calls to the backend of a canvas, at most 1,000. */
export const callLogQuery = (id: string) =>
  queryOptions({
    queryKey: canvasKey(id, "log"),
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET("/api/canvases/{id}/log", { params: { path: { id }, query: { limit: 1_000 } }, signal }),
      ),
  });

/** How much data a canvas stores, of all people. For editors. */
export const dataQuery = (id: string) =>
  queryOptions({
    queryKey: canvasKey(id, "data"),
    queryFn: ({ signal }) => bodyOf(api.GET("/api/canvases/{id}/data", { params: { path: { id } }, signal })),
  });

/** The newest invitations to a canvas, at most 1,000, which is as many as can be in effect. */
export const invitesQuery = (id: string) =>
  queryOptions({
    queryKey: canvasKey(id, "invites"),
    queryFn: async ({ signal }) =>
      (
        await bodyOf(
          api.GET("/api/canvases/{id}/invites", {
            params: { path: { id }, query: { limit: 1_000 } },
            signal,
          }),
        )
      ).invites,
  });

/** What the caller uses of their own quotas, and of AI today. */
export const ownUsageQuery = queryOptions({
  queryKey: ["me", "usage"],
  queryFn: ({ signal }) => bodyOf(api.GET("/api/me/usage", { signal })),
});

/** Which mails the caller gets. */
export const ownMailsQuery = queryOptions({
  queryKey: ["me", "mails"],
  queryFn: ({ signal }) => bodyOf(api.GET("/api/me/mails", { signal })),
});

/** Where the caller is signed in. */
export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: async ({ signal }) => (await bodyOf(api.GET("/api/sessions", { signal }))).sessions,
});

/** The tools that act for the caller, of which one person has fewer than a page, and the address at which others connect. */
export const toolsQuery = queryOptions({
  queryKey: ["apps"],
  queryFn: ({ signal }) => bodyOf(api.GET("/api/apps", { signal })),
});

/** Reads again what a change of a canvas may have changed: the canvas, what belongs to it, and the lists. */
export async function canvasChanged(id: string): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: canvasKey(id) }),
    queries.invalidateQueries({ queryKey: ["canvases"] }),
  ]);
}
