import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { canvasQuery } from "../../api/queries.ts";
import { audienceOf } from "../../canvas/state.ts";
import { useDocumentTitle } from "../../kit/Screen.tsx";
import { Time } from "../../kit/Time.tsx";

/** What a canvas is and who may open it. */
export function OverviewScreen() {
  const { id } = useParams({ from: "/canvases/$id" });
  const { data: canvas } = useSuspenseQuery(canvasQuery(id));
  useDocumentTitle(canvas.title);
  return (
    <div className="cards">
      <section className="card" aria-labelledby="who">
        <h2 id="who">Who may open it</h2>
        <p>{audienceOf(canvas)}</p>
      </section>
      <section className="card" aria-labelledby="changed">
        <h2 id="changed">Changed</h2>
        <p>
          <Time at={canvas.updatedAt} />
        </p>
      </section>
    </div>
  );
}
