import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Lock } from "lucide-react";
import { canvasQuery } from "../../api/queries.ts";
import { isEditor } from "../../canvas/state.ts";
import { Empty } from "../../kit/Empty.tsx";
import { useDocumentTitle } from "../../kit/Screen.tsx";
import { Publisher } from "./Publisher.tsx";

/** Publishes a new version of a canvas, or stores it to be looked at first. */
export function NewVersionScreen() {
  const { id } = useParams({ from: "/canvases/$id" });
  const { data: canvas } = useSuspenseQuery(canvasQuery(id));
  useDocumentTitle(`New version · ${canvas.title}`);
  return isEditor(canvas) ? (
    <Publisher key={id} canvas={canvas} />
  ) : (
    <Empty icon={<Lock aria-hidden />} title="You may not change this canvas">
      <p>Its owner and editors publish new versions.</p>
    </Empty>
  );
}
