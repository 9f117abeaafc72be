import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { paths } from "../../../../cli/dist-types/management-api.d.ts";
import { api, bodyOf } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import type { Team } from "../../api/types.ts";
import type { TeamsSearch } from "./search.ts";

/** A team with the names of its members, and the number of canvases that are shared with it. */
export type TeamDetails = paths["/api/teams/{id}"]["get"]["responses"]["200"]["content"]["application/json"];
type Patch = paths["/api/teams/{id}"]["patch"]["requestBody"]["content"]["application/json"];

const PAGE = 100;
const of = (id: string) => ({ params: { path: { id } } });

/** The teams that the caller created or is a member of, newest first, page by page. */
export const teamsQuery = ({ q }: TeamsSearch) =>
  infiniteQueryOptions({
    queryKey: ["teams", "list", q ?? ""],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      bodyOf(
        api.GET("/api/teams", {
          params: {
            query: {
              limit: PAGE,
              ...(q !== undefined && { q }),
              ...(pageParam !== "" && { cursor: pageParam }),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });

export const teamQuery = (id: string) =>
  queryOptions({
    queryKey: ["teams", "one", id],
    queryFn: ({ signal }) => bodyOf(api.GET("/api/teams/{id}", { ...of(id), signal })),
  });

/** The people whose names or addresses begin with `q`. The caller is not among them. */
export const peopleQuery = (q: string) =>
  queryOptions({
    queryKey: ["people", q],
    enabled: q !== "",
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET("/api/people", { params: { query: { q } }, signal }))).people,
  });

export const createTeam = (body: { name: string; members: string[] }): Promise<Team> =>
  bodyOf(api.POST("/api/teams", { body }));

export const updateTeam = (id: string, body: Patch): Promise<Team> =>
  bodyOf(api.PATCH("/api/teams/{id}", { ...of(id), body }));

export const deleteTeam = (id: string): Promise<unknown> => api.DELETE("/api/teams/{id}", of(id));

export const leaveTeam = (id: string): Promise<unknown> => api.DELETE("/api/teams/{id}/membership", of(id));

/** Reads again what a change of a team may have changed: the teams, and which canvases are open to whom. */
export async function teamsChanged(): Promise<void> {
  await Promise.all(
    [["teams"], ["canvases"], ["canvas"]].map((queryKey) => queries.invalidateQueries({ queryKey })),
  );
}
