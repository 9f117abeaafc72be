import "./files.css";
import { LIMITS } from "@easel/protocol/limits";
import type { FileRecord } from "@easel/sdk";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { FolderOpen, Upload } from "lucide-react";
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from "react";
import { canvasKey, dataQuery, queries } from "../../../api/queries.ts";
import { runtimeOf } from "../../../api/runtime.ts";
import type { DataSummary } from "../../../api/types.ts";
import { Button } from "../../../kit/Button.tsx";
import { bytesOf } from "../../../kit/bytes.ts";
import { Empty } from "../../../kit/Empty.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { Loading } from "../../../kit/Loading.tsx";
import { NativeSelect } from "../../../kit/NativeSelect.tsx";
import { countOf } from "../../../kit/words.ts";
import { Code } from "../Code.tsx";
import { deleteLater, useHiddenIds } from "../deletions.ts";
import type { PartProps } from "../parts.ts";
import { SidePanel, Split } from "../SidePanel.tsx";
import { useWindowDrop } from "../window-drop.ts";
import { FileDetails } from "./FileDetails.tsx";
import { FileGrid } from "./FileGrid.tsx";
import { filterOf, filtersOf } from "./filters.ts";
import { Uploads, useUploads } from "./Uploads.tsx";

const PAGE = 200;
/** How far the pointer moves in a click at most. */
const CLICK_PX = 8;

/** The files that pages of the canvas have stored, as far as the person may read them: a grid of pictures, with uploads by drop and button. */
export function Files({ canvas, summary }: PartProps) {
  const { item, of = "" } = useSearch({ from: "/canvases/$id/data" });
  const navigate = useNavigate({ from: "/canvases/$id/data" });
  const { files, people } = runtimeOf(canvas.id);
  const filters = filtersOf(canvas.runtimePolicy);
  const { value: filter = "", group } = filters.find(({ value }) => value === of) ?? {};
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: canvasKey(canvas.id, "files", filter),
    queryFn: async ({ pageParam }) => {
      const page = await files.list({ ...filterOf(filter), cursor: pageParam, limit: PAGE });
      // The names of a page are few requests, which the cells then find answered.
      void people([...new Set(page.map(({ uploadedBy }) => uploadedBy))]).catch(() => {});
      return { files: [...page], nextCursor: page.nextCursor };
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    gcTime: 60_000,
  });
  const [failure, setFailure] = useState<Error | null>(null);
  const hidden = useHiddenIds();
  const grid = useRef<HTMLDivElement>(null);
  const shown = useMemo(
    () => (data?.pages.flatMap(({ files }) => files) ?? []).filter(({ id }) => !hidden.has(id)),
    [data, hidden],
  );
  const changed = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: canvasKey(canvas.id, "files") }),
      queries.invalidateQueries({ queryKey: dataQuery(canvas.id).queryKey }),
    ]);

  useEffect(
    () =>
      runtimeOf(canvas.id).files.watch(
        () => void queries.invalidateQueries({ queryKey: canvasKey(canvas.id, "files") }),
        // The list is read again when the window gets the focus, too.
        () => {},
      ),
    [canvas.id],
  );

  const uploads = useUploads(canvas.id, () => void changed());
  const add = (list: readonly File[]) => {
    uploads.add(list, group);
    // What is uploaded here is attached to no record, and would not be in this list.
    if (filter.startsWith("collection:")) void navigate({ search: { show: "files" } });
  };
  const isOver = useWindowDrop(add);

  const focusTile = (id: string) =>
    requestAnimationFrame(() =>
      grid.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(id)}"]`)?.focus(),
    );
  const open = (id: string | undefined) => void navigate({ search: (before) => ({ ...before, item: id }) });
  const close = () => {
    open(undefined);
    if (item !== undefined) focusTile(item);
  };
  const remove = ({ id, name }: FileRecord) => {
    setFailure(null);
    if (item === id) open(undefined);
    deleteLater(`Deleted ${name}.`, {
      ids: [id],
      isForGood: true,
      send: (id) => files.delete(id),
      onUndone: () => focusTile(id),
      onSent(error) {
        if (error !== null) setFailure(error);
        void changed();
      },
    });
  };
  const press = (event: KeyboardEvent) => {
    const file = shown.find(({ id }) => id === idAt(event));
    if (event.key !== "Delete" || file === undefined) return;
    event.preventDefault();
    remove(file);
  };
  const pressed = useRef<{ id: string | null; x: number; y: number } | null>(null);
  const release = (event: PointerEvent) => {
    const { id = null, x = 0, y = 0 } = pressed.current ?? {};
    const isClick = Math.hypot(event.clientX - x, event.clientY - y) < CLICK_PX;
    // The press of a file that is half in view brings it into view, from under the pointer.
    if (id !== null && isClick && id !== idAt(event)) open(id);
  };

  const opened = item === undefined ? undefined : shown.find(({ id }) => id === item);
  const panel =
    item === undefined ? null : (
      <SidePanel key={item} title={opened?.name ?? "File"} what="file" onClose={close}>
        {opened === undefined ? (
          <p className="note wait" role="status">
            {isFetching ? "It is being read…" : "There is no such file in this list that you may read."}
          </p>
        ) : (
          <FileDetails
            canvas={canvas}
            file={opened}
            onDelete={() => remove(opened)}
            onRenamed={() => void changed()}
          />
        )}
      </SidePanel>
    );

  return (
    <Split panel={panel}>
      <header className="part-head">
        <div>
          <h2>Files</h2>
          <p className="small soft">
            {countOf(summary.files.count, "file")} of all people, {bytesOf(summary.files.bytes)}. You see
            those that you may read.
          </p>
        </div>
        <div className="part-acts">
          {filters.length < 2 ? null : (
            <NativeSelect
              label="Which files"
              hideLabel
              choices={filters}
              value={filter}
              onChange={(value) =>
                void navigate({
                  search: (before) => ({ ...before, of: value || undefined, item: undefined }),
                })
              }
            />
          )}
          <UploadButton onFiles={add} />
        </div>
      </header>
      <p className="small soft">
        Drop files here to upload them{group === undefined ? " as shared files" : ` to the group ${group}`},
        at most {bytesOf(LIMITS.fileBytes.value)} each.
      </p>
      <Uploads {...uploads} />
      {error === null ? null : (
        <ErrorNote error={error}>
          <p>
            <Button onPress={() => void refetch()}>Read again</Button>
          </p>
        </ErrorNote>
      )}
      {failure === null ? null : <ErrorNote error={failure} />}
      {data === undefined ? (
        error === null ? (
          <Loading what="the files" />
        ) : null
      ) : shown.length === 0 && !hasNextPage ? (
        <NoFiles summary={summary} isFiltered={filter !== ""} group={group} />
      ) : (
        // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the grid in it
        <div
          ref={grid}
          onKeyDown={press}
          onPointerDownCapture={(event) => {
            pressed.current = { id: idAt(event), x: event.clientX, y: event.clientY };
          }}
          onPointerUpCapture={release}
        >
          <FileGrid
            canvas={canvas.id}
            files={shown}
            hasMore={hasNextPage}
            isReading={isFetching}
            onMore={() => void fetchNextPage()}
            onOpen={open}
          />
        </div>
      )}
      {isOver ? (
        <div className="drop-target" role="status">
          <Upload aria-hidden />
          <p>
            Upload to the files of <bdi>{canvas.title}</bdi>
          </p>
        </div>
      ) : null}
    </Split>
  );
}

/** Returns the id of the file at which something happens. */
const idAt = ({ target }: { target: EventTarget }): string | null =>
  (target as HTMLElement).closest("[data-key]")?.getAttribute("data-key") ?? null;

function UploadButton({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button look="primary" icon={<Upload aria-hidden />} onPress={() => input.current?.click()}>
        Upload
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = "";
        }}
      />
    </>
  );
}

function NoFiles({
  summary,
  isFiltered,
  group,
}: {
  summary: DataSummary;
  isFiltered: boolean;
  group: string | undefined;
}) {
  const to = group === undefined ? "" : `, { group: ${JSON.stringify(group)} }`;
  return (
    <Empty
      icon={<FolderOpen aria-hidden />}
      title={isFiltered || summary.files.count > 0 ? "No file that you may read" : "No file yet"}
    >
      <p>The page of this canvas stores one from a field of a form:</p>
      <Code text={`await easel.files.upload(input.files[0]${to});`} />
    </Empty>
  );
}
