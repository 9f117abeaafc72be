import "./drop-target.css";
import { useQuery } from "@tanstack/react-query";
import { useMatch, useRouter } from "@tanstack/react-router";
import { Upload } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { canvasQuery } from "../api/queries.ts";
import { isEditor } from "../canvas/state.ts";
import { droppedOf, handOver } from "../deploy/handed-over.ts";

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes("Files") === true;

/**
 * Lets files be dropped anywhere: within a canvas as its new version, elsewhere as a new canvas. While they are dragged over the window, it
 * shows which. A screen that takes drops of its own stops their propagation.
 */
export function DropTarget() {
  const router = useRouter();
  const id = useMatch({ from: "/canvases/$id", shouldThrow: false })?.params.id;
  const { data } = useQuery({ ...canvasQuery(id ?? ""), enabled: id !== undefined });
  const canvas = data !== undefined && isEditor(data) ? data : undefined;
  const [isOver, setOver] = useState(false);
  // Enters and leaves of the elements below the pointer.
  const depth = useRef(0);

  useEffect(() => {
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth.current += 1;
      setOver(true);
    };
    const over = (event: DragEvent) => {
      // Otherwise the browser would open the file.
      if (hasFiles(event)) event.preventDefault();
    };
    const end = () => {
      depth.current = 0;
      setOver(false);
    };
    const leave = (event: DragEvent) => {
      if (hasFiles(event) && --depth.current <= 0) end();
    };
    const drop = (event: DragEvent) => {
      const { dataTransfer } = event;
      if (!hasFiles(event) || dataTransfer === null) return;
      event.preventDefault();
      end();
      const dropped = droppedOf(dataTransfer);
      handOver(import("../deploy/pick.ts").then(({ offerOfDropped }) => offerOfDropped(dropped)));
      void router.navigate(
        canvas === undefined ? { to: "/new" } : { to: "/canvases/$id/deploy", params: { id: canvas.id } },
      );
    };
    addEventListener("dragenter", enter);
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragenter", enter);
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, [router, canvas]);

  if (!isOver) return null;
  return (
    <div className="drop-target" role="status">
      <Upload aria-hidden />
      <p>
        {canvas === undefined ? (
          "New canvas"
        ) : (
          <>
            New version of <bdi>{canvas.title}</bdi>
          </>
        )}
      </p>
    </div>
  );
}
