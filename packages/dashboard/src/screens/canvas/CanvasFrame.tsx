import "./canvas-frame.css";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, Outlet, useParams } from "@tanstack/react-router";
import { ExternalLink } from "lucide-react";
import { canvasQuery } from "../../api/queries.ts";
import { stateOf } from "../../canvas/state.ts";
import { Badge } from "../../kit/Badge.tsx";
import { ButtonAnchor } from "../../kit/Button.tsx";
import { Copy } from "../../kit/Copy.tsx";
import { Mark } from "../../kit/Mark.tsx";

/** What surrounds the screens of one canvas: its name, its state, its address while it opens, and links to its screens. */
export function CanvasFrame() {
  const { id } = useParams({ from: "/canvases/$id" });
  const { data: canvas } = useSuspenseQuery(canvasQuery(id));
  const state = stateOf(canvas);
  return (
    <>
      <header className="canvas-head">
        <Mark id={id} title={canvas.title} size="3rem" />
        <div className="names">
          <h1>
            <bdi>{canvas.title}</bdi>
          </h1>
          <div className="row">
            <Badge look={state.look}>{state.text}</Badge>
            {canvas.publicationStatus === "published" ? (
              <>
                <a href={canvas.url} target="_blank" rel="noopener" className="small">
                  {canvas.url.replace(/^https?:\/\//, "")}
                </a>
                <Copy text={canvas.url} what="address" />
              </>
            ) : null}
          </div>
        </div>
        {canvas.publicationStatus === "published" ? (
          <ButtonAnchor href={canvas.url} target="_blank" rel="noopener" icon={<ExternalLink aria-hidden />}>
            Open
          </ButtonAnchor>
        ) : null}
      </header>
      <nav className="canvas-places" aria-label="Screens of the canvas">
        <Link to="/canvases/$id" params={{ id }} activeOptions={{ exact: true }}>
          Overview
        </Link>
      </nav>
      <Outlet />
    </>
  );
}
