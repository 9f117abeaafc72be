import { useState } from "react";
import { publishVersion, takeOffline } from "../../api/canvas-acts.ts";
import { canvasChanged, queries } from "../../api/queries.ts";
import type { Canvas, Version } from "../../api/types.ts";
import { toastWithUndo, useCanvasChange } from "../../canvas/changes.ts";
import { isEditor } from "../../canvas/state.ts";
import { nameOf } from "../../canvas/version-name.ts";
import { toast } from "../../kit/toasts.ts";
import { compareFiles } from "./compare.ts";
import { deleteVersion, filesQuery, previewLink } from "./version-queries.ts";
import { differWords, publishWord } from "./words.ts";

/** What failed for a version. */
interface Failure {
  version: string;
  error: Error;
}

/** Returns what publishing `version` in place of `former` has changed, in words. An empty text if that cannot be read. */
async function differenceOf(id: string, former: string | null, version: string): Promise<string> {
  if (former === null) return "";
  const [before, after] = await Promise.all(
    [former, version].map((each) => queries.fetchQuery(filesQuery(id, each))),
  ).catch(() => []);
  if (before === undefined || after === undefined) return "";
  return ` ${differWords(compareFiles(before, after))}; data stays as it is.`;
}

/** What the caller can do with the versions of a canvas, and how that went. */
export function useVersionActs(canvas: Canvas, versions: readonly Version[]) {
  const { id } = canvas;
  const current = versions.find((each) => each.current)?.id ?? null;
  const isOnline = canvas.publicationStatus === "published";
  const [failure, setFailure] = useState<Failure | null>(null);
  /** The version whose preview was opened last. */
  const [previewed, setPreviewed] = useState<string | null>(null);

  /** Performs an act, and shows its error beside the version. */
  const attempt = async (version: string, act: () => Promise<unknown>) => {
    setFailure(null);
    try {
      await act();
    } catch (error) {
      setFailure({ version, error: error as Error });
    }
  };

  const publishing = useCanvasChange(id, async (version: Version) => {
    await publishVersion(id, version.id, current);
    const did = publishWord(version, versions) === "Roll back" ? "Rolled back to" : "Published";
    toastWithUndo(
      id,
      `${did} ${nameOf(version)}.${version.current ? "" : await differenceOf(id, current, version.id)}`,
      () =>
        current === null || !isOnline || version.current
          ? takeOffline(id)
          : publishVersion(id, current, version.id),
    );
  });

  return {
    canvas,
    isEditor: isEditor(canvas),
    isOnline,
    /** The id of the live version, or null. */
    liveVersion: current,
    /** Whether publishing a version changes anything. The current one is published again if it was taken offline. */
    canPublish: (version: Version) => !version.current || canvas.publicationStatus === "unpublished",
    publishWord: (version: Version) => (version.current ? "Publish" : publishWord(version, versions)),
    publish: (version: Version) => attempt(version.id, () => publishing.mutateAsync(version)),
    isPublishing: (version: Version) => publishing.isPending && publishing.variables?.id === version.id,
    /** Opens a version in a tab. The tab is opened first, because browsers block those that do not follow a press at once. */
    async preview(version: Version) {
      const tab = window.open("about:blank", "_blank");
      await attempt(version.id, async () => {
        try {
          const link = await previewLink(id, version.id);
          if (tab === null)
            throw new Error("The browser did not let this page open a tab. Allow it, and try again.");
          tab.location.href = link;
          setPreviewed(version.id);
        } catch (error) {
          tab?.close();
          void canvasChanged(id);
          throw error;
        }
      });
    },
    /** Deletes a version. Throws if that fails. */
    async remove(version: Version) {
      setFailure(null);
      try {
        await deleteVersion(id, version.id);
        toast({ text: `Deleted ${nameOf(version)}.` });
      } catch (error) {
        // If the version is gone already, so is the dialog that asked.
        setFailure({ version: version.id, error: error as Error });
        throw error;
      } finally {
        await canvasChanged(id);
      }
    },
    failure,
    previewed,
  };
}

export type VersionActs = ReturnType<typeof useVersionActs>;
