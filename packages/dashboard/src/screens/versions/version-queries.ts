import { queryOptions } from "@tanstack/react-query";
import { publishVersion } from "../../api/canvas-acts.ts";
import { api, bodyOf, send } from "../../api/client.ts";
import { canvasChanged, queries, versionsQuery } from "../../api/queries.ts";
import type { Canvas } from "../../api/types.ts";
import { fileAddress } from "../../canvas/address.ts";
import { nameOf } from "./words.ts";

/* A version never changes, so what was read of it is kept. The keys are apart from those that a change of the canvas reads again. */

/** The files of a version, all of them: at most 5,000. */
export const filesQuery = (id: string, version: string) =>
  queryOptions({
    queryKey: ["version-files", id, version],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) =>
      (
        await bodyOf(
          api.GET("/api/canvases/{id}/versions/{version}/files", {
            params: { path: { id, version } },
            signal,
          }),
        )
      ).files,
  });

/** The address of the zip of a version. */
export const zipAddress = (id: string, version: string): string =>
  `/api/canvases/${id}/versions/${version}/bundle`;

/** The bytes of a file of a version. They are kept for a minute after they were shown. */
export const bytesQuery = (id: string, version: string, path: string) =>
  queryOptions({
    queryKey: ["version-file", id, version, path],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    queryFn: async ({ signal }) =>
      new Uint8Array(await (await send(fileAddress(id, version, path), { signal })).arrayBuffer()),
  });

/**
 * Publishes a version if `expected` is still the current one, null if there is none. Otherwise somebody has published another one since the
 * list was read: throws, and the list shows it.
 */
export async function publishInPlaceOf(
  expected: string | null,
  id: string,
  version: string,
): Promise<Canvas> {
  const versions = await queries.fetchQuery({ ...versionsQuery(id), staleTime: 0 });
  const current = versions.find((each) => each.current);
  if ((current?.id ?? null) !== expected) {
    await canvasChanged(id);
    throw new Error(
      current === undefined
        ? "Nothing was published, because the canvas has changed meanwhile."
        : `Nothing was published, because another version has become the live one meanwhile: ${nameOf(current)}. If you still want to, do it again.`,
    );
  }
  return publishVersion(id, version);
}

/** Makes a link that shows a version in the browser that opens it. It works once. */
export const previewLink = async (id: string, version: string): Promise<string> =>
  (
    await bodyOf(
      api.POST("/api/canvases/{id}/versions/{version}/preview", {
        params: { path: { id, version } },
        body: {},
      }),
    )
  ).url;

export const deleteVersion = (id: string, version: string): Promise<unknown> =>
  api.DELETE("/api/canvases/{id}/versions/{version}", { params: { path: { id, version } } });
