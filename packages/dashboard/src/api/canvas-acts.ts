import { useMutation } from "@tanstack/react-query";
import type { paths } from "../../../cli/dist-types/management-api.d.ts";
import { toast } from "../frame/toasts.ts";
import { api, bodyOf } from "./client.ts";
import { canvasChanged, canvasQuery, queries } from "./queries.ts";
import type { Canvas } from "./types.ts";

type Patch = paths["/api/canvases/{id}"]["patch"]["requestBody"]["content"]["application/json"];

const of = (id: string) => ({ params: { path: { id } } });

export const updateCanvas = (id: string, body: Patch): Promise<Canvas> =>
  bodyOf(api.PATCH("/api/canvases/{id}", { ...of(id), body }));

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

/** Restores a canvas from the trash, with another slug if its own is taken. */
export const restoreCanvas = (id: string, slug?: string): Promise<Canvas> =>
  bodyOf(api.POST("/api/canvases/{id}/restore", { ...of(id), body: slug === undefined ? {} : { slug } }));

/**
 * A change of a canvas. What is known of the canvas is read again after a success and after a failure, which may mean that the screen is out
 * of date: the canvas may have been deleted, disabled or handed over in the meantime.
 */
export const useCanvasChange = <Input = void, Output = unknown>(
  id: string,
  change: (input: Input) => Promise<Output>,
) => useMutation({ mutationFn: change, onSettled: () => canvasChanged(id) });

/** Says that a canvas was changed, and offers to undo that. If that fails, the screen shows the state as it is. */
export const toastWithUndo = (id: string, text: string, undo: () => Promise<unknown>): void =>
  toast({
    text,
    act: {
      label: "Undo",
      async run() {
        try {
          await undo();
        } catch (error) {
          toast({ text: `It could not be undone. ${(error as Error).message}` });
        }
        await canvasChanged(id);
      },
    },
  });
