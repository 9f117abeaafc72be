import { useEffect, useEffectEvent, useState } from "react";
import { toast } from "../../kit/toasts.ts";

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes("Files") === true;

/**
 * Takes the files that are dropped anywhere on the window, instead of the frame, which would make a version or a canvas of them. Returns whether
 * files are dragged over the window.
 */
export function useWindowDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const dropped = useEffectEvent(onFiles);
  useEffect(() => {
    // Enters and leaves of the elements below the pointer.
    let depth = 0;
    const end = () => {
      depth = 0;
      setOver(false);
    };
    const take = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.type === "dragenter") {
        depth++;
        setOver(true);
      } else if (event.type === "dragleave") {
        if (--depth <= 0) end();
      } else if (event.type === "drop") {
        end();
        const items = [...(event.dataTransfer?.items ?? [])].filter(({ kind }) => kind === "file");
        const isFolder = (item: DataTransferItem) => item.webkitGetAsEntry()?.isDirectory === true;
        if (items.some(isFolder)) toast({ text: "A folder was left out. Drop the files in it instead." });
        const files = items.flatMap((item) => (isFolder(item) ? [] : (item.getAsFile() ?? [])));
        if (files.length > 0) dropped(files);
      }
    };
    const events = ["dragenter", "dragover", "dragleave", "drop"] as const;
    // The frame listens in the bubbling phase.
    for (const event of events) addEventListener(event, take, true);
    return () => {
      for (const event of events) removeEventListener(event, take, true);
    };
  }, []);
  return isOver;
}
