import { useQuery } from "@tanstack/react-query";
import { versionsQuery } from "../../api/queries.ts";
import type { Canvas, Version } from "../../api/types.ts";
import { ButtonLink } from "../../kit/Button.tsx";
import { bytesOf } from "../../kit/bytes.ts";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { Time } from "../../kit/Time.tsx";

/** The version that people see: who made it, when, and why. */
export function VersionCard({ canvas: { id } }: { canvas: Canvas }) {
  const { data: versions, error } = useQuery(versionsQuery(id));
  return (
    <section className="card" aria-labelledby="version">
      <h2 id="version">Version</h2>
      {error === null ? null : <ErrorNote error={error} />}
      {versions === undefined ? null : <Current versions={versions} />}
      {versions !== undefined && versions.length > 0 ? (
        <ButtonLink to="/canvases/$id/versions" params={{ id }}>
          Versions
        </ButtonLink>
      ) : null}
    </section>
  );
}

const count = (number: number, what: string) =>
  number === 0 ? "" : ` ${number} ${what}${number === 1 ? "" : "s"}.`;

function Current({ versions }: { versions: Version[] }) {
  const at = versions.findIndex(({ current }) => current);
  const version = versions[at];
  if (version === undefined) return <p className="soft">No version is published.</p>;
  const { createdAt, createdByName, message, files, bytes } = version;
  const older = versions.length - at - 1;
  return (
    <>
      <p>
        Made <Time at={createdAt} /> by <bdi>{createdByName}</bdi>
      </p>
      {message === null ? null : (
        <blockquote>
          <bdi>{message}</bdi>
        </blockquote>
      )}
      <p className="small soft">
        {files} {files === 1 ? "file" : "files"}, {bytesOf(bytes)}.{count(older, "older version")}
        {count(at, "newer version")}
      </p>
    </>
  );
}
