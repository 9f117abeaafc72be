import { ExternalLink } from "lucide-react";
import { useEffect, useRef } from "react";
import type { Deployed } from "../../deploy/deploy.ts";
import { ButtonAnchor, ButtonLink } from "../../kit/Button.tsx";
import { Warnings } from "./Warnings.tsx";

/** The end of a new version: it is online, or stored to be looked at. */
export function NewVersionDone({ canvas, isPublished, warnings }: Deployed) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="card stack" aria-labelledby="online">
      <div>
        <h2 id="online" ref={heading} tabIndex={-1}>
          {isPublished ? "The new version is online" : "The new version is stored"}
        </h2>
        <p className="soft">
          {isPublished
            ? "Everyone who opens the canvas sees it."
            : "Nobody sees it yet. Look at it in the list of versions, and publish it there."}
        </p>
      </div>
      <div className="row">
        {isPublished ? (
          <ButtonAnchor
            href={canvas.url}
            target="_blank"
            rel="noopener"
            look="primary"
            icon={<ExternalLink aria-hidden />}
          >
            Open
          </ButtonAnchor>
        ) : null}
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
