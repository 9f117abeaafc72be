import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
} from "@tanstack/react-query";
import { api, bodyOf } from "../api/client.ts";
import { canvasKey, queries } from "../api/queries.ts";
import type { Canvas, CanvasList, ListedCanvas } from "../api/types.ts";
import type { ListSearch } from "./list-search.ts";

const LISTS = ["canvases", "list"] as const;

/** The size of a page, and that of the pages after the first five, for somebody who goes to the end of a long list. */
const PAGE = 100;
const LARGE_PAGE = 1_000;
const SMALL_PAGES = 5;

/** The canvases of a list, page by page. While others are read, those of the last filter stay. */
export const listQuery = ({ list = "mine", sort = "updated", q, state, tag }: ListSearch) =>
  infiniteQueryOptions({
    queryKey: [...LISTS, { list, sort, q, state, tag }],
    initialPageParam: { cursor: "", limit: PAGE },
    queryFn: ({ pageParam: { cursor, limit }, signal }) =>
      bodyOf(
        api.GET("/api/canvases", {
          params: { query: { list, sort, q, state, tag, limit, ...(cursor === "" ? {} : { cursor }) } },
          signal,
        }),
      ),
    getNextPageParam: ({ nextCursor }, pages) =>
      nextCursor === null
        ? null
        : { cursor: nextCursor, limit: pages.length < SMALL_PAGES ? PAGE : LARGE_PAGE },
    placeholderData: keepPreviousData,
  });

/** The first own and shared canvases with a text in their title or slug. */
export const foundQuery = (q: string) =>
  queryOptions({
    queryKey: ["canvases", "found", q],
    queryFn: async ({ signal }) =>
      (
        await bodyOf(
          api.GET("/api/canvases", { params: { query: { ...(q === "" ? {} : { q }), limit: 8 } }, signal }),
        )
      ).canvases,
    placeholderData: keepPreviousData,
  });

/** Changes the rows of all lists in place. What is not shown is read again when it is. */
function changeLists(id: string, change: (rows: ListedCanvas[]) => ListedCanvas[]): void {
  queries.setQueriesData<InfiniteData<CanvasList>>(
    { queryKey: LISTS },
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) => ({ ...page, canvases: change(page.canvases) })),
      },
  );
  void queries.invalidateQueries({ queryKey: ["canvases"], refetchType: "none" });
  void queries.invalidateQueries({ queryKey: canvasKey(id) });
}

/** Shows a canvas as it is now in its row. The row keeps its place, also if the filter or the order would have another one for it. */
export const rowChanged = (canvas: Canvas): void =>
  changeLists(canvas.id, (rows) => rows.map((row) => (row.id === canvas.id ? { ...row, ...canvas } : row)));

/** Takes the row of a canvas that was deleted, or restored from the trash, out of the lists. */
export const rowGone = (id: string): void => changeLists(id, (rows) => rows.filter((row) => row.id !== id));
