import type { Version } from "../../api/types.ts";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import type { VersionActs } from "./acts.ts";

/** What the last act on a version has come to: its error, or how to leave the preview that it has opened. */
export const VersionNotes = ({
  version,
  acts: { failure, previewed, canvas },
}: {
  version: Version;
  acts: VersionActs;
}) => (
  <>
    {failure?.version === version.id ? <ErrorNote error={failure.error} /> : null}
    <div role="status">
      {previewed === version.id ? (
        <p className="note small">
          <span>
            The preview is open in another tab. For half an hour, this browser shows you this version at the
            address of the canvas; everybody else sees the live one.{" "}
            <a href={`${canvas.url}__preview`} target="_blank" rel="noopener">
              Leave the preview
            </a>
          </span>
        </p>
      ) : null}
    </div>
  </>
);
