import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client.ts";
import { canvasKey } from "../../api/queries.ts";

/** The first teams of the caller, to see of which of them they are a member. */
export const myTeamsQuery = queryOptions({
  queryKey: ["teams"],
  queryFn: async ({ signal }) => (await bodyOf(api.GET("/api/teams", { signal }))).teams,
});

/** The people and teams to share a canvas with whose names or addresses begin with `q`. */
export const completionQuery = (id: string, q: string) =>
  queryOptions({
    queryKey: canvasKey(id, "completion", q),
    enabled: q !== "",
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const [{ people }, { teams }] = await Promise.all([
        bodyOf(api.GET("/api/people", { params: { query: { q, canvas: id } }, signal })),
        bodyOf(api.GET("/api/teams", { params: { query: { q, limit: 5 } }, signal })),
      ]);
      return { people, teams };
    },
  });

/** Whom an explanation is about. */
export type Whom = { email: string } | { as: "anonymous" } | { invite: string };

/** Whether somebody gets into a canvas, and why. It is read again after each change of the canvas. */
export const explanationQuery = (id: string, whom: Whom) =>
  queryOptions({
    queryKey: canvasKey(id, "access", JSON.stringify(whom)),
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/api/canvases/{id}/access", { params: { path: { id }, query: whom }, signal })),
  });

/** The same for administrators, who may ask about any canvas. */
export const explanationOfAnyQuery = (id: string, whom: Whom) =>
  queryOptions({
    queryKey: canvasKey(id, "access", "any", JSON.stringify(whom)),
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/api/admin/canvases/{id}/access", { params: { path: { id }, query: whom }, signal })),
  });
