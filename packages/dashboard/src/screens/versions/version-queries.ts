import { queryOptions } from "@tanstack/react-query";
import { api, bodyOf, send } from "../../api/client.ts";
import { fileAddress } from "../../canvas/address.ts";

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
