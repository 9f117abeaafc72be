import type { FileRecord } from "@easel/sdk";
import { File, FileImage, FileText } from "lucide-react";
import { useMemo } from "react";
import { Collection, GridList, GridListItem, GridListLoadMoreItem } from "react-aria-components/GridList";
import { Virtualizer } from "react-aria-components/Virtualizer";
import { bytesOf } from "../../../kit/bytes.ts";
import { lookOf } from "../../../kit/file-content.ts";
import { TileLayout } from "./tile-layout.ts";
import { useContent } from "./use-content.ts";

/** The size in bytes up to which the grid shows an image. Larger ones are not read for it. */
const MAX_THUMBNAIL = 2 * 1024 * 1024;

/** Files as a grid of pictures. Only those in view are in the document and read. Arrows move, Enter opens. */
export function FileGrid({
  canvas,
  files,
  hasMore,
  isReading,
  onMore,
  onOpen,
}: {
  canvas: string;
  files: readonly FileRecord[];
  hasMore: boolean;
  isReading: boolean;
  onMore: () => void;
  onOpen: (id: string) => void;
}) {
  const options = useMemo(
    () => ({ rem: Number.parseFloat(getComputedStyle(document.documentElement).fontSize) }),
    [],
  );
  return (
    <Virtualizer layout={TileLayout} layoutOptions={options}>
      <GridList
        aria-label="Files"
        layout="grid"
        className="file-grid"
        onAction={(key) => onOpen(String(key))}
      >
        <Collection items={files} dependencies={[canvas]}>
          {(file) => (
            <GridListItem id={file.id} textValue={file.name} className="file-tile">
              <Thumbnail canvas={canvas} file={file} />
              <span className="file-name">
                <bdi>{file.name}</bdi>
              </span>
              <span className="small soft">{bytesOf(file.size)}</span>
            </GridListItem>
          )}
        </Collection>
        {hasMore ? (
          <GridListLoadMoreItem className="file-more" isLoading={isReading} onLoadMore={onMore}>
            Reading more…
          </GridListLoadMoreItem>
        ) : null}
      </GridList>
    </Virtualizer>
  );
}

function Thumbnail({ canvas, file }: { canvas: string; file: FileRecord }) {
  const look = lookOf(file);
  const { address } = useContent(canvas, file, look === "image" && file.size < MAX_THUMBNAIL);
  const Icon = look === "image" || look === "svg" ? FileImage : look === "text" ? FileText : File;
  return (
    <span className="thumbnail">
      {address === null ? <Icon aria-hidden /> : <img src={address} alt="" loading="lazy" decoding="async" />}
    </span>
  );
}
