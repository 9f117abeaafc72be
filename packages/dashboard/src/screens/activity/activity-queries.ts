import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, bodyOf } from "../../api/client.ts";
import { canvasKey } from "../../api/queries.ts";
import type { CallLog } from "../../api/types.ts";
import { joined } from "./calls.ts";
import type { Group } from "./search.ts";
import { actsOf } from "./sentences.ts";

/** The size of a page, and that of the pages after the first five, for somebody who goes to the end of a long list. */
const PAGE = 100;
const LARGE_PAGE = 1_000;
const SMALL_PAGES = 5;

/** The size of a page of calls, the largest that the service returns. */
const CALLS_PAGE = 1_000;

/** What people have changed on a canvas, page by page, the newest first. */
export const changesQuery = (id: string, group: Group | undefined) =>
  infiniteQueryOptions({
    queryKey: [...canvasKey(id, "activity"), group ?? ""],
    initialPageParam: { cursor: "", limit: PAGE },
    queryFn: ({ pageParam: { cursor, limit }, signal }) =>
      bodyOf(
        api.GET("/api/canvases/{id}/activity", {
          params: {
            path: { id },
            query: {
              limit,
              ...(group === undefined ? {} : { act: actsOf(group).join(",") }),
              ...(cursor === "" ? {} : { cursor }),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ nextCursor }, pages) =>
      nextCursor === null
        ? null
        : { cursor: nextCursor, limit: pages.length < SMALL_PAGES ? PAGE : LARGE_PAGE },
  });

/** Reads the calls after a cursor, oldest first. */
export const callsAfter = (id: string, after: string, signal: AbortSignal): Promise<CallLog> =>
  bodyOf(
    api.GET("/api/canvases/{id}/log", {
      params: { path: { id }, query: { after, limit: CALLS_PAGE } },
      signal,
    }),
  );

/** All refused and failed calls that the service has kept of a canvas, oldest first. */
export const callsQuery = (id: string) =>
  queryOptions({
    queryKey: canvasKey(id, "log", "all"),
    async queryFn({ signal }) {
      let log: CallLog = { entries: [], next: "0-0", dropped: 0 };
      for (;;) {
        const page = await callsAfter(id, log.next, signal);
        log = joined(log, page);
        if (page.entries.length < CALLS_PAGE) return log;
      }
    },
  });
