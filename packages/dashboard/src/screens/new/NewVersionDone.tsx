import { OpenLink } from "../../canvas/OpenLink.tsx";
import type { Deployed } from "../../deploy/deploy.ts";
import { ButtonLink } from "../../kit/Button.tsx";
import { FocusedHeading } from "../../kit/FocusedHeading.tsx";
import { Warnings } from "./Warnings.tsx";

/** The end of a new version: it is online, or stored to be looked at. */
export function NewVersionDone({ canvas, isPublished, warnings }: Deployed) {
  return (
    <section className="card stack" aria-labelledby="online">
      <div>
        <FocusedHeading id="online">
          {isPublished ? "The new version is online" : "The new version is stored"}
        </FocusedHeading>
        <p className="soft">
          {isPublished
            ? "Everyone who opens the canvas sees it."
            : "Nobody sees it yet. Look at it in the list of versions, and publish it there."}
        </p>
      </div>
      <div className="row">
        {isPublished ? <OpenLink canvas={canvas} look="primary" /> : null}
        <ButtonLink
          to="/canvases/$id/versions"
          params={{ id: canvas.id }}
          look={isPublished ? "plain" : "primary"}
        >
          Versions
        </ButtonLink>
      </div>
      <Warnings warnings={warnings} />
    </section>
  );
}
