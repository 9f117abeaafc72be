import type { paths } from "../../../cli/dist-types/management-api.d.ts";
import { api, bodyOf } from "./client.ts";
import { canvasQuery, queries } from "./queries.ts";
import type { Canvas } from "./types.ts";

type Patch = paths["/api/canvases/{id}"]["patch"]["requestBody"]["content"]["application/json"];
type Switches =
  paths["/api/canvases/{id}/capabilities"]["patch"]["requestBody"]["content"]["application/json"];

const of = (id: string) => ({ params: { path: { id } } });

export const updateCanvas = (id: string, body: Patch): Promise<Canvas> =>
  bodyOf(api.PATCH("/api/canvases/{id}", { ...of(id), body }));

/** Changes the switches of the backend of a canvas, its policy, or both. Returns them. */
export async function changeCapabilities(id: string, body: Switches) {
  const settings = await bodyOf(api.PATCH("/api/canvases/{id}/capabilities", { ...of(id), body }));
  queries.setQueryData(canvasQuery(id).queryKey, (known) => known && { ...known, ...settings });
  return settings;
}

/** Changes the tags of a canvas. They are read first, because the service replaces all of them. */
export async function changeTags(id: string, change: (tags: string[]) => string[]): Promise<Canvas> {
  const { tags } = await queries.fetchQuery({ ...canvasQuery(id), staleTime: 0 });
  return updateCanvas(id, { tags: change(tags) });
}

/** Publishes a version. With `expectedVersion`, which is null for none, only in place of that version: otherwise throws `VERSION_CONFLICT`. */
export const publishVersion = (
  id: string,
  version: string,
  expectedVersion?: string | null,
): Promise<Canvas> =>
  bodyOf(
    api.POST("/api/canvases/{id}/versions/{version}/publish", {
      params: { path: { id, version } },
      body: expectedVersion === undefined ? {} : { expectedVersion },
    }),
  );

export const takeOffline = (id: string): Promise<Canvas> =>
  bodyOf(api.POST("/api/canvases/{id}/unpublish", of(id)));

export const transferCanvas = (id: string, email: string): Promise<Canvas> =>
  bodyOf(api.PUT("/api/canvases/{id}/owner", { ...of(id), body: { email } }));

export const deleteCanvas = (id: string): Promise<unknown> => api.DELETE("/api/canvases/{id}", of(id));

/** Removes a canvas in the trash for good. */
export const purgeCanvas = (id: string): Promise<unknown> => api.DELETE("/api/canvases/{id}/trash", of(id));

/** Restores a canvas from the trash, with another slug if its own is taken. */
export const restoreCanvas = (id: string, slug?: string): Promise<Canvas> =>
  bodyOf(api.POST("/api/canvases/{id}/restore", { ...of(id), body: slug === undefined ? {} : { slug } }));
