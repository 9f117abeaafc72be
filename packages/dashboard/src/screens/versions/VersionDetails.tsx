import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import type { Ref } from "react";
import type { Version } from "../../api/types.ts";
import { nameOf } from "../../canvas/version-name.ts";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { Loading } from "../../kit/Loading.tsx";
import { type Choice, Select } from "../../kit/Select.tsx";
import { countOf } from "../../kit/words.ts";
import type { VersionActs } from "./acts.ts";
import { compareFiles, type Difference } from "./compare.ts";
import { FileList } from "./FileList.tsx";
import { VersionButtons } from "./VersionButtons.tsx";
import { VersionBadge, VersionFacts } from "./VersionFacts.tsx";
import { VersionNotes } from "./VersionNotes.tsx";
import { filesQuery } from "./version-queries.ts";
import { differencesWords, differWords } from "./words.ts";

/** The choice that lists all files of a version. */
const NONE = "none";

/** Returns with which versions one can be compared. */
function choicesOf(
  version: Version,
  versions: readonly Version[],
  before: Version | undefined,
): Choice<string>[] {
  return [
    ...versions
      .filter(({ id }) => id !== version.id)
      .map((each) => ({
        value: each.id,
        label: `${each === before ? "The one before: " : each.current ? "The live one: " : ""}${nameOf(each)}`,
        ...(each.message === null ? {} : { description: <bdi>{each.message}</bdi> }),
      })),
    { value: NONE, label: "Nothing: list all files" },
  ];
}

/** One version: its files, and what differs from another version. */
export function VersionDetails({
  version,
  versions,
  acts,
  heading,
}: {
  version: Version;
  versions: readonly Version[];
  acts: VersionActs;
  heading: Ref<HTMLHeadingElement>;
}) {
  const { id } = acts.canvas;
  const navigate = useNavigate({ from: "/canvases/$id/versions" });
  const search = useSearch({ from: "/canvases/$id/versions" });
  const before = versions[versions.indexOf(version) + 1];
  const other =
    search.with === NONE ? undefined : (versions.find((each) => each.id === search.with) ?? before);
  const files = useQuery(filesQuery(id, version.id));
  const otherFiles = useQuery({ ...filesQuery(id, other?.id ?? ""), enabled: other !== undefined });
  const error = files.error ?? (other === undefined ? null : otherFiles.error);
  const differences =
    files.data === undefined || (other !== undefined && otherFiles.data === undefined)
      ? null
      : compareFiles(other === undefined ? [] : (otherFiles.data ?? []), files.data);
  const compareWith = (value: string) =>
    navigate({ search: { version: version.id, with: value }, resetScroll: false, replace: true });
  return (
    <div className="stack">
      <Link to="/canvases/$id/versions" params={{ id }} className="back">
        <ArrowLeft aria-hidden /> All versions
      </Link>
      <section className="card version-head" aria-labelledby="version-title">
        <div className="version-row">
          <div className="names">
            <div className="row">
              <h2 id="version-title" ref={heading} tabIndex={-1}>
                <bdi>{version.message ?? nameOf(version)}</bdi>
              </h2>
              <VersionBadge version={version} isOnline={acts.isOnline} />
            </div>
            <VersionFacts version={version} />
          </div>
          <VersionButtons
            version={version}
            acts={acts}
            afterPublish={() => document.getElementById("version-title")?.focus()}
            afterDelete={() => void navigate({ search: {} })}
          />
        </div>
        <VersionNotes version={version} acts={acts} />
      </section>
      <section className="stack" aria-labelledby="files-title">
        <div className="files-head">
          <h2 id="files-title">{other === undefined ? "Files" : "What differs"}</h2>
          <Select
            label="Compared with"
            choices={choicesOf(version, versions, before)}
            value={other?.id ?? NONE}
            onChange={(value) => void compareWith(value)}
          />
        </div>
        {error === null ? null : <ErrorNote error={error} />}
        {differences === null && error === null ? <Loading what="the files" /> : null}
        {differences === null ? null : (
          <>
            <p role="status">{sentenceOf(differences, version, other)}</p>
            <FileList
              // Another comparison begins with the first files again.
              key={other?.id ?? NONE}
              canvas={id}
              version={version.id}
              other={other?.id ?? null}
              differences={differences}
            />
          </>
        )}
      </section>
    </div>
  );
}

/** Returns in a sentence what differs, and what it would change to publish the version in place of the live one. */
function sentenceOf(
  differences: readonly Difference[],
  version: Version,
  other: Version | undefined,
): string {
  if (other === undefined) return `${countOf(differences.length, "file")}.`;
  if (!other.current || version.current) return `${differencesWords(differences)}.`;
  return differences.length === 0
    ? `${differWords(differences)} from the live version.`
    : `${differencesWords(differences)}. Publishing this version changes these; data stays as it is.`;
}
