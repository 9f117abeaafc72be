import "./versions.css";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { History } from "lucide-react";
import { useEffect, useRef } from "react";
import { canvasQuery, versionsQuery } from "../../api/queries.ts";
import { isEditor } from "../../canvas/state.ts";
import { ButtonLink } from "../../kit/Button.tsx";
import { Empty } from "../../kit/Empty.tsx";
import { useDocumentTitle } from "../../kit/Screen.tsx";
import { useVersionActs } from "./acts.ts";
import { focusVersion, Timeline } from "./Timeline.tsx";
import { VersionDetails } from "./VersionDetails.tsx";

/** The versions of a canvas: all of them, or one with its files and what differs from another one. */
export function VersionsScreen() {
  const { id } = useParams({ from: "/canvases/$id/versions" });
  const { version } = useSearch({ from: "/canvases/$id/versions" });
  const { data: canvas } = useSuspenseQuery(canvasQuery(id));
  const { data: versions } = useSuspenseQuery(versionsQuery(id));
  useDocumentTitle(`Versions · ${canvas.title}`);
  const acts = useVersionActs(canvas, versions);

  // The focus goes to the version that was opened, and back to its row.
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(version);
  useEffect(() => {
    if (before.current === version) return;
    if (version !== undefined) heading.current?.focus();
    else focusVersion(before.current);
    before.current = version;
  }, [version]);

  if (version !== undefined && isEditor(canvas)) {
    const shown = versions.find((each) => each.id === version);
    return shown === undefined ? (
      <Empty
        icon={<History aria-hidden />}
        title="This version is not there any more"
        acts={
          <ButtonLink to="/canvases/$id/versions" params={{ id }} look="primary">
            All versions
          </ButtonLink>
        }
      >
        <p>It was deleted, or made room for newer ones.</p>
      </Empty>
    ) : (
      <VersionDetails key={version} version={shown} versions={versions} acts={acts} heading={heading} />
    );
  }
  return versions.length === 0 ? (
    <Empty
      icon={<History aria-hidden />}
      title="Nothing deployed yet"
      acts={
        isEditor(canvas) ? (
          <ButtonLink to="/canvases/$id/deploy" params={{ id }} look="primary">
            Deploy something
          </ButtonLink>
        ) : null
      }
    >
      <p>Each deploy is kept as a version, which you can look at, compare and go back to.</p>
    </Empty>
  ) : (
    <Timeline versions={versions} acts={acts} />
  );
}
