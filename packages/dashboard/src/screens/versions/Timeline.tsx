import { Link } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useRef } from "react";
import type { Version } from "../../api/types.ts";
import { nameOf } from "../../canvas/version-name.ts";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import type { VersionActs } from "./acts.ts";
import { VersionButtons } from "./VersionButtons.tsx";
import { VersionBadge, VersionFacts } from "./VersionFacts.tsx";
import { VersionNotes } from "./VersionNotes.tsx";

const rowId = (version: string) => `version-${version}`;

/** Moves the focus to the row of a version. */
export const focusVersion = (version: string | undefined): void =>
  document.getElementById(rowId(version ?? ""))?.focus();

/** Moves the focus to the version above or below by the arrow keys. */
function moveByArrows(event: KeyboardEvent<HTMLElement>) {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const isName = (event.target as HTMLElement).classList.contains("version-name");
  if (step === 0 || !isName) return;
  const names = [...event.currentTarget.querySelectorAll<HTMLElement>(".version-name")];
  const next = names[names.indexOf(event.target as HTMLElement) + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

/** The versions of a canvas, the newest first, with what can be done with each. */
export function Timeline({ versions, acts }: { versions: readonly Version[]; acts: VersionActs }) {
  const { canvas, isEditor, failure } = acts;
  // The row beside one that was deleted gets the focus, once the row has gone.
  const leaving = useRef<{ version: string; next: string | undefined } | null>(null);
  useEffect(() => {
    if (leaving.current === null || versions.some(({ id }) => id === leaving.current?.version)) return;
    focusVersion(leaving.current.next);
    leaving.current = null;
  }, [versions]);
  const isGone = failure !== null && !versions.some(({ id }) => id === failure.version);
  return (
    <div className="stack">
      {isGone ? <ErrorNote error={failure.error} /> : null}
      {isEditor ? null : (
        <p className="soft">The owner and editors can open these versions and go back to them.</p>
      )}
      <ol className="timeline" aria-label="Versions, the newest first" onKeyDown={moveByArrows}>
        {versions.map((version, index) => (
          <li key={version.id} className={version.current ? "current" : ""}>
            <div className="version-row">
              <div className="names">
                <div className="row">
                  {isEditor ? (
                    <Link
                      id={rowId(version.id)}
                      className="version-name"
                      to="/canvases/$id/versions"
                      params={{ id: canvas.id }}
                      search={{ version: version.id }}
                    >
                      <bdi>{version.message ?? nameOf(version)}</bdi>
                    </Link>
                  ) : (
                    <strong className="version-name">
                      <bdi>{version.message ?? nameOf(version)}</bdi>
                    </strong>
                  )}
                  <VersionBadge version={version} isOnline={acts.isOnline} />
                </div>
                <VersionFacts version={version} />
              </div>
              {isEditor ? (
                <VersionButtons
                  version={version}
                  acts={acts}
                  afterPublish={() => focusVersion(version.id)}
                  beforeDelete={() => {
                    leaving.current = {
                      version: version.id,
                      next: (versions[index + 1] ?? versions[index - 1])?.id,
                    };
                  }}
                />
              ) : null}
            </div>
            <VersionNotes version={version} acts={acts} />
          </li>
        ))}
      </ol>
      {versions.length === 1 && isEditor ? (
        <p className="soft">This is the only version. The next deploy can be compared with it.</p>
      ) : null}
    </div>
  );
}
