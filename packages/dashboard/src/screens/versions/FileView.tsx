import { useQueries } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import type { VersionFile } from "../../api/types.ts";
import { fileAddress } from "../../canvas/address.ts";
import { ButtonAnchor } from "../../kit/Button.tsx";
import { bytesOf } from "../../kit/bytes.ts";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { lookOf, textOf } from "../../kit/file-content.ts";
import { Loading } from "../../kit/Loading.tsx";
import type { Difference } from "./compare.ts";
import { TextDiff } from "./TextDiff.tsx";
import { bytesQuery } from "./version-queries.ts";

/** A file of one side of a comparison: where it is, and its bytes, null if they are not read because it cannot be shown. */
interface Side {
  label: string;
  version: string;
  file: VersionFile;
  bytes: Uint8Array<ArrayBuffer> | null;
}

/** The content of a file, or how it differs: text line by line, images side by side, all others by size and hash. */
export function FileView({
  canvas,
  version,
  other,
  difference: { kind, path, before, after },
}: {
  canvas: string;
  version: string;
  other: string | null;
  difference: Difference;
}) {
  // A renamed file has the same content on both sides.
  const files = [
    ...(before === null || other === null || kind === "renamed"
      ? []
      : [{ label: "Before", version: other, file: before }]),
    ...(after === null
      ? []
      : [{ label: other === null || kind !== "changed" ? "" : "After", version, file: after }]),
  ];
  const isShown = files.every(({ file }) => lookOf(file) !== "other");
  const reads = useQueries({
    queries: isShown ? files.map(({ version, file }) => bytesQuery(canvas, version, file.path)) : [],
  });
  const error = reads.find((read) => read.error !== null)?.error ?? null;
  if (error !== null) return <ErrorNote error={error} />;
  if (reads.some(({ isPending }) => isPending)) return <Loading what="the file" rows={2} />;
  const sides: Side[] = files.map((each, index) => ({ ...each, bytes: reads[index]?.data ?? null }));
  const looks = new Set(files.map(({ file }) => lookOf(file)));
  const isImage = looks.size === 1 && !looks.has("text");
  return (
    <div className="stack">
      {kind === "renamed" ? <p className="small soft">The file was moved; its content is the same.</p> : null}
      {isShown && isImage ? <Images sides={sides} /> : null}
      {isShown && (!isImage || looks.has("svg")) ? (
        <Texts
          sides={sides}
          path={path}
          isAdded={kind === "added" && other !== null}
          isRemoved={after === null}
        />
      ) : null}
      {isShown ? null : <Facts sides={sides} />}
      <div className="row">
        {files.map(({ label, version, file }) => (
          <ButtonAnchor
            key={version}
            href={fileAddress(canvas, version, file.path)}
            look="quiet"
            icon={<Download aria-hidden />}
            download
          >
            Download{label === "" ? "" : ` the one ${label.toLowerCase()}`}
          </ButtonAnchor>
        ))}
      </div>
    </div>
  );
}

/** Texts, or size and hash of what turns out to be none. */
function Texts({
  sides,
  path,
  isAdded,
  isRemoved,
}: {
  sides: readonly Side[];
  path: string;
  isAdded: boolean;
  isRemoved: boolean;
}) {
  const texts = useMemo(() => sides.map(({ bytes }) => (bytes === null ? null : textOf(bytes))), [sides]);
  const [first = null, second = null] = texts;
  if (texts.includes(null) || first === null) return <Facts sides={sides} />;
  if (isAdded) return <TextDiff path={path} before="" after={first} />;
  if (isRemoved) return <TextDiff path={path} before={first} after="" />;
  return second === null ? (
    <TextDiff path={path} before={null} after={first} />
  ) : (
    <TextDiff path={path} before={first} after={second} />
  );
}

const Images = ({ sides }: { sides: readonly Side[] }) => (
  <div className="images">
    {sides.map((side) => (
      <Image key={side.version} {...side} />
    ))}
  </div>
);

/** An image, with its size in pixels once it is known. As an `<img>`, no image runs a script. */
function Image({ label, file, bytes }: Side) {
  const [address, setAddress] = useState<string | null>(null);
  const [state, setState] = useState("");
  useEffect(() => {
    if (bytes === null) return;
    const made = URL.createObjectURL(new Blob([bytes], { type: file.mime }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, file.mime]);
  return (
    <figure>
      {address === null ? null : (
        <img
          src={address}
          alt={`${label} ${file.path}`.trim()}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setState(`${naturalWidth} × ${naturalHeight}, `)
          }
          onError={() => setState("The browser cannot show it as an image. ")}
        />
      )}
      <figcaption className="small soft">
        {label === "" ? "" : `${label}: `}
        {state}
        {bytesOf(file.size)}
      </figcaption>
    </figure>
  );
}

/** What is known of files that cannot be shown. */
const Facts = ({ sides }: { sides: readonly Side[] }) => (
  <dl className="file-about small">
    {sides.map(({ label, version, file }) => (
      <div key={version}>
        <dt>{label === "" ? "Not shown: it is no text, no image, or too large" : label}</dt>
        <dd>
          {bytesOf(file.size)}, <bdi>{file.mime}</bdi>, SHA-256 <code>{file.sha256}</code>
        </dd>
      </div>
    ))}
  </dl>
);
