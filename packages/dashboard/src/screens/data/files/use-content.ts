import type { FileRecord } from "@easel/sdk";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { canvasKey } from "../../../api/queries.ts";
import { runtimeOf } from "../../../api/runtime.ts";

/** The time for which the bytes of a file are kept that is out of view. */
const KEPT_MS = 60_000;

/**
 * Reads the content of a file, which never changes. `address` is one that an `<img>` can show, whatever the file is: as an image, nothing of
 * it runs.
 */
export function useContent(
  canvas: string,
  { id, mime }: Pick<FileRecord, "id" | "mime">,
  isWanted: boolean,
): { blob: Blob | undefined; address: string | null; error: Error | null } {
  const { data: blob, error } = useQuery({
    queryKey: canvasKey(canvas, "content", id),
    queryFn: ({ signal }) => runtimeOf(canvas).contentOf(id, signal),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEPT_MS,
  });
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (blob === undefined) return;
    const made = URL.createObjectURL(new Blob([blob], { type: mime }));
    setAddress(made);
    return () => {
      URL.revokeObjectURL(made);
      setAddress(null);
    };
  }, [blob, mime]);
  return { blob, address, error };
}
