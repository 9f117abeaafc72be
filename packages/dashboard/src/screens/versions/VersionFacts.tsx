import type { Version } from "../../api/types.ts";
import { Badge } from "../../kit/Badge.tsx";
import { bytesOf } from "../../kit/bytes.ts";
import { Time } from "../../kit/Time.tsx";
import { countOf } from "../../kit/words.ts";
import { changedSigns, changedWords } from "./words.ts";

/** Whether a version is what people see, or was never published. */
export function VersionBadge({ version, isOnline }: { version: Version; isOnline: boolean }) {
  if (version.current)
    return isOnline ? <Badge look="good">Live</Badge> : <Badge look="plain">Live when online</Badge>;
  return version.published ? null : <Badge look="wait">Not published</Badge>;
}

/** Who stored a version, when, what it changed, and its size. */
export const VersionFacts = ({ version }: { version: Version }) => {
  const { createdByName, createdAt, changed, files, bytes } = version;
  return (
    <p className="small soft version-facts">
      <bdi>{createdByName}</bdi>
      <Time at={createdAt} />
      {changed === null ? null : (
        <span title={changedWords(changed)}>
          <span aria-hidden className="signs">
            {changedSigns(changed)}
          </span>
          <span className="hidden-text">{changedWords(changed)}</span>
        </span>
      )}
      <span>
        {countOf(files, "file")}, {bytesOf(bytes)}
      </span>
    </p>
  );
};
