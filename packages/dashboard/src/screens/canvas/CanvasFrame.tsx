import "./canvas-frame.css";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, Outlet, useParams } from "@tanstack/react-router";
import { Pencil, Upload } from "lucide-react";
import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { canvasQuery } from "../../api/queries.ts";
import type { Canvas } from "../../api/types.ts";
import { shortAddress } from "../../canvas/address.ts";
import { OpenLink } from "../../canvas/OpenLink.tsx";
import { isEditor, stateOf } from "../../canvas/state.ts";
import { NotFound } from "../../frame/ScreenError.tsx";
import { Badge } from "../../kit/Badge.tsx";
import { Button, ButtonLink } from "../../kit/Button.tsx";
import { Copy } from "../../kit/Copy.tsx";
import { Places } from "../../kit/Places.tsx";
import { AddressDialog } from "./AddressDialog.tsx";
import { CanvasMark } from "./CanvasMark.tsx";
import { CanvasTitle } from "./CanvasTitle.tsx";

/**
 * What surrounds the screens of one canvas: its name, its state, its address while it opens, and links to its screens. If the canvas is
 * deleted or not shared any more while its screen is open, the next read finds that out, and says so instead.
 */
export function CanvasFrame() {
  const { id } = useParams({ from: "/canvases/$id" });
  const { data: canvas, error } = useSuspenseQuery(canvasQuery(id));
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  return (
    <>
      <CanvasHead canvas={canvas} />
      <Places label="Screens of the canvas">
        <Link to="/canvases/$id" params={{ id }} activeOptions={{ exact: true }}>
          Overview
        </Link>
        {isEditor(canvas) ? (
          <>
            <Link to="/canvases/$id/sharing" params={{ id }}>
              Sharing
            </Link>
            <Link to="/canvases/$id/data" params={{ id }}>
              Data
            </Link>
          </>
        ) : null}
        <Link to="/canvases/$id/versions" params={{ id }}>
          Versions
        </Link>
        {isEditor(canvas) ? (
          <>
            <Link to="/canvases/$id/backend" params={{ id }}>
              Backend
            </Link>
            <Link to="/canvases/$id/activity" params={{ id }}>
              Activity
            </Link>
          </>
        ) : null}
      </Places>
      <Outlet />
    </>
  );
}

function CanvasHead({ canvas }: { canvas: Canvas }) {
  const { id, slug, url, publicationStatus } = canvas;
  const state = stateOf(canvas);
  const opens = publicationStatus === "published";
  const [isChanging, setChanging] = useState(false);
  return (
    <header className="canvas-head">
      <CanvasMark canvas={canvas} size="3rem" />
      <div className="names">
        <CanvasTitle canvas={canvas} />
        <div className="row">
          <Badge look={state.look}>{state.text}</Badge>
          <span className="address">
            {opens ? (
              <>
                <a href={url} target="_blank" rel="noopener" className="small">
                  {shortAddress(url)}
                </a>
                <Copy text={url} what="address" />
              </>
            ) : (
              <small className="soft">
                Name in the address: <bdi>{slug}</bdi>
              </small>
            )}
            {isEditor(canvas) && publicationStatus !== "disabled" ? (
              <Button
                look="quiet"
                icon={<Pencil aria-hidden />}
                aria-label="Change the address"
                onPress={() => setChanging(true)}
              />
            ) : null}
          </span>
        </div>
        <Role canvas={canvas} />
      </div>
      {isEditor(canvas) && publicationStatus !== "disabled" ? (
        <ButtonLink to="/canvases/$id/deploy" params={{ id }} icon={<Upload aria-hidden />}>
          New version
        </ButtonLink>
      ) : null}
      {opens ? <OpenLink canvas={canvas} /> : null}
      <AddressDialog canvas={canvas} isOpen={isChanging} onClose={() => setChanging(false)} />
    </header>
  );
}

/** What the caller may do with the canvas of somebody else. */
function Role({ canvas }: { canvas: Canvas }) {
  if (canvas.viewerRole === "owner") return null;
  return (
    <p className="small soft">
      {isEditor(canvas) ? "You may change it." : "You may open it, not change it."} It belongs to{" "}
      <bdi>{canvas.owner.name}</bdi>.
    </p>
  );
}
