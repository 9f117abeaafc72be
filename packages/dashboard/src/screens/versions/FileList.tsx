import { useNavigate, useSearch } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { Button } from "../../kit/Button.tsx";
import { bytesOf } from "../../kit/bytes.ts";
import { Loading } from "../../kit/Loading.tsx";
import type { Difference } from "./compare.ts";

const FileView = lazy(() => import("./FileView.tsx").then(({ FileView }) => ({ default: FileView })));

/** The number of files that are drawn at once. */
const STEP = 200;

const SIGNS = { added: "+", removed: "−", changed: "~", renamed: "→" } as const;

/** Files, or what differs between two versions. Each opens below its row. `other` is null if the files are compared with nothing. */
export function FileList({
  canvas,
  version,
  other,
  differences,
}: {
  canvas: string;
  version: string;
  other: string | null;
  differences: readonly Difference[];
}) {
  const { file } = useSearch({ from: "/canvases/$id/versions" });
  const navigate = useNavigate({ from: "/canvases/$id/versions" });
  const opened = differences.findIndex(({ path }) => path === file);
  const [count, setCount] = useState(Math.max(STEP, opened + 1));
  const toggle = (path: string) =>
    navigate({
      search: ({ file, ...rest }) => (file === path ? rest : { ...rest, file: path }),
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      <ul className="files">
        {differences.slice(0, count).map((difference) => {
          const { path, kind } = difference;
          const isOpen = path === file;
          return (
            <li key={`${kind} ${path}`} className="file-item">
              <button
                type="button"
                className="file-row"
                aria-expanded={isOpen}
                onClick={() => void toggle(path)}
              >
                <ChevronRight aria-hidden className="turns" />
                {other === null ? null : (
                  <span className={`sign ${kind}`}>
                    <span aria-hidden>{SIGNS[kind]}</span>
                    <span className="hidden-text">{kind}: </span>
                  </span>
                )}
                <PathOf difference={difference} />
                <SizeOf difference={difference} isComparison={other !== null} />
              </button>
              {isOpen ? (
                <div className="file-view">
                  <Suspense fallback={<Loading what="the file" rows={2} />}>
                    <FileView canvas={canvas} version={version} other={other} difference={difference} />
                  </Suspense>
                </div>
              ) : null}
            </li>
          );
        })}
      </ul>
      {differences.length > count ? (
        <div>
          <Button onPress={() => setCount(count + 5 * STEP)}>
            Show more of {differences.length.toLocaleString("en")} files
          </Button>
        </div>
      ) : null}
    </>
  );
}

const PathOf = ({ difference: { kind, path, before } }: { difference: Difference }) => (
  <span className="path">
    {kind === "renamed" && before !== null ? (
      <>
        <bdi className="soft">{before.path}</bdi>
        <span className="hidden-text"> is now </span>
        <span aria-hidden> → </span>
      </>
    ) : null}
    <bdi>{path}</bdi>
  </span>
);

/** The size of a file; of a changed one both sizes, if they read differently. */
function SizeOf({
  difference: { kind, before, after },
  isComparison,
}: {
  difference: Difference;
  isComparison: boolean;
}) {
  const sizes = (kind === "changed" && isComparison ? [before, after] : [after ?? before]).map((file) =>
    bytesOf(file?.size ?? 0),
  );
  return <small className="soft size">{[...new Set(sizes)].join(" → ")}</small>;
}
