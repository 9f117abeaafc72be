import "./backend.css";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { canvasQuery } from "../../api/queries.ts";
import { isEditor } from "../../canvas/state.ts";
import { useDocumentTitle } from "../../kit/Screen.tsx";
import { AiBudget } from "./AiBudget.tsx";
import { Connections } from "./Connections.tsx";
import { Policy } from "./policy/Policy.tsx";
import { usePolicy } from "./policy/usePolicy.ts";
import { Switches } from "./Switches.tsx";

/** What the backend of a canvas does, and who may do what with it: for those who may change that. */
export function BackendScreen() {
  const { id } = useParams({ from: "/canvases/$id" });
  const { data: canvas } = useSuspenseQuery(canvasQuery(id));
  useDocumentTitle(`Backend · ${canvas.title}`);
  if (isEditor(canvas)) return <Backend key={id} id={id} />;
  return (
    <p className="card">
      Only the owner, <bdi>{canvas.owner.name}</bdi>, and the editors see and change the backend.
    </p>
  );
}

function Backend({ id }: { id: string }) {
  const { data: canvas } = useSuspenseQuery(canvasQuery(id));
  const editor = usePolicy(canvas);
  return (
    <div className="stack backend">
      <Switches canvas={canvas} />
      <Policy canvas={canvas} editor={editor} />
      <div className="cards">
        <Connections canvas={canvas} editor={editor} />
        <AiBudget canvas={canvas} />
      </div>
    </div>
  );
}
