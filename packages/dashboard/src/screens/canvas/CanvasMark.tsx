import { skipToken, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, bodyOf, send } from "../../api/client.ts";
import type { Canvas } from "../../api/types.ts";
import { fileAddress } from "../../canvas/address.ts";
import { isEditor } from "../../canvas/state.ts";
import { Mark } from "../../kit/Mark.tsx";

/** The files that browsers and pages use as the icon, at the root of a canvas. They are neighbours in the order of paths. */
const ICON = /^favicon\.(ico|png|svg|webp)$/;
/** The largest icon that is loaded, in bytes. */
const MAX_BYTES = 256 * 1024;

/** Reads the icon of a version. Returns null if it has none. */
async function readIcon(id: string, version: string, signal: AbortSignal): Promise<Blob | null> {
  const path = { id, version };
  const listed = api.GET("/api/canvases/{id}/versions/{version}/files", {
    params: { path, query: { cursor: "favicon", limit: 10 } },
    signal,
  });
  const { files } = await bodyOf(listed);
  const icon = files.find(({ path, size }) => ICON.test(path) && size <= MAX_BYTES);
  if (icon === undefined) return null;
  const bytes = await (await send(fileAddress(id, version, icon.path), { signal })).arrayBuffer();
  return new Blob([bytes], { type: icon.mime });
}

/**
 * The mark of a canvas with the icon of its live version, if it has one at its root. Only owner and editors may read its files; for all others,
 * and until the icon is there, it has its initials. As an image, an icon runs no script.
 */
export function CanvasMark({ canvas, size }: { canvas: Canvas; size: string }) {
  const { id, title, version } = canvas;
  const { data: icon = null } = useQuery({
    queryKey: ["icon", id, version],
    queryFn: version !== null && isEditor(canvas) ? ({ signal }) => readIcon(id, version, signal) : skipToken,
    // A version never changes.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (icon === null) return;
    const made = URL.createObjectURL(icon);
    setUrl(made);
    return () => {
      setUrl(null);
      URL.revokeObjectURL(made);
    };
  }, [icon]);
  return <Mark id={id} title={title} size={size} icon={url} />;
}
