import { useInfiniteQuery, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { History } from "lucide-react";
import { useMemo, useRef } from "react";
import { meQuery, versionsQuery } from "../../api/queries.ts";
import type { Activity, Canvas } from "../../api/types.ts";
import { nameOf } from "../../canvas/version-name.ts";
import { Button } from "../../kit/Button.tsx";
import { DataGrid, type GridHandle } from "../../kit/DataGrid.tsx";
import { Empty } from "../../kit/Empty.tsx";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { ListWithDetails } from "../../kit/ListWithDetails.tsx";
import { Loading } from "../../kit/Loading.tsx";
import { NativeSelect } from "../../kit/NativeSelect.tsx";
import { Time } from "../../kit/Time.tsx";
import { changesQuery } from "./activity-queries.ts";
import { GROUPS, type Group } from "./search.ts";
import { type Known, sentenceOf, TOLD } from "./sentences.ts";

const ALL = "all";

const GROUP_NAMES: Record<Group, string> = {
  versions: "Versions",
  sharing: "Sharing",
  settings: "Title, address, settings",
  backend: "Backend",
  data: "Export and import",
  administrators: "By administrators",
};

const CHOICES = [
  { value: ALL, label: "All changes" },
  ...GROUPS.map((value) => ({ value, label: GROUP_NAMES[value] })),
] as const;

const COLUMNS = [
  { id: "what", label: "What" },
  { id: "when", label: "When", width: 10 },
] as const;

/** Returns what the sentences need besides the entries. */
function useKnown(id: string): Known {
  const { data: me } = useSuspenseQuery(meQuery);
  const { data: versions } = useQuery(versionsQuery(id));
  return useMemo(() => {
    const names = new Map(versions?.map((version) => [version.id, version.message ?? nameOf(version)]));
    return { me: me.id, versionName: (version) => names.get(version) ?? null };
  }, [me, versions]);
}

/** An entry as a row of the list. */
interface ChangeRow extends Activity {
  sentence: string;
}

/** Returns a function that returns the row of an entry: the same object until what is known changes, because the grid draws other objects again. */
function useRowOf(known: Known): (entry: Activity) => ChangeRow {
  return useMemo(() => {
    const rows = new WeakMap<Activity, ChangeRow>();
    return (entry) => {
      const row = rows.get(entry) ?? { ...entry, sentence: sentenceOf(entry, known) };
      rows.set(entry, row);
      return row;
    };
  }, [known]);
}

/** What people have changed on the canvas, in sentences, the newest first. */
export function Changes({ canvas: { id } }: { canvas: Canvas }) {
  const { what, open } = useSearch({ from: "/canvases/$id/activity" });
  const navigate = useNavigate({ from: "/canvases/$id/activity" });
  const known = useKnown(id);
  const query = useInfiniteQuery(changesQuery(id, what));
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const rowOf = useRowOf(known);
  const rows = useMemo(() => data?.pages.flatMap(({ entries }) => entries.map(rowOf)) ?? [], [data, rowOf]);
  const grid = useRef<GridHandle>(null);
  const shown = rows.find((row) => row.id === open);

  const show = (row: string | undefined) =>
    void navigate({ search: (search) => ({ ...search, open: row }), replace: true, resetScroll: false });
  const close = () => {
    show(undefined);
    requestAnimationFrame(() => grid.current?.focusRow(open ?? ""));
  };
  const readAll = async (): Promise<string | null> => {
    for (;;) {
      const { data, hasNextPage, isError } = await fetchNextPage({ cancelRefetch: false });
      if (isError) return null;
      if (!hasNextPage)
        return data?.pages.findLast(({ entries }) => entries.length > 0)?.entries.at(-1)?.id ?? null;
    }
  };

  return (
    <div className="stack">
      <div className="row">
        <NativeSelect
          hideLabel
          label="Which changes"
          choices={CHOICES}
          value={what ?? ALL}
          onChange={(to) =>
            void navigate({
              search: (search) => ({ ...search, open: undefined, what: to === ALL ? undefined : to }),
              replace: true,
            })
          }
        />
      </div>
      {error === null ? null : (
        <ErrorNote error={error}>
          <div>
            <Button onPress={() => void (data === undefined ? query.refetch() : fetchNextPage())}>
              Try again
            </Button>
          </div>
        </ErrorNote>
      )}
      {query.isPending && error === null ? <Loading what="what people have changed" rows={8} /> : null}
      {query.isSuccess && rows.length === 0 && !hasNextPage ? (
        <NoChanges
          isFiltered={what !== undefined}
          onAll={() => void navigate({ search: {}, replace: true })}
        />
      ) : null}
      {rows.length === 0 ? null : (
        <ListWithDetails
          onClose={close}
          details={
            shown === undefined
              ? null
              : {
                  key: shown.id,
                  title: shown.sentence,
                  content: <ChangeDetails entry={shown} canvas={id} known={known} />,
                }
          }
        >
          <DataGrid
            label="What people have changed, the newest first"
            columns={COLUMNS}
            rows={rows}
            textOf={({ sentence }) => sentence}
            cell={({ at, sentence }, column) => (column === "when" ? <Time at={at} /> : sentence)}
            card={({ at, sentence }) => (
              <span className="activity-card">
                <span className="card-text">{sentence}</span>
                <small className="soft">
                  <Time at={at} />
                </small>
              </span>
            )}
            onOpen={({ id }) => show(id)}
            hasMore={hasNextPage}
            isReading={isFetchingNextPage}
            onMore={() => {
              if (!isFetchingNextPage && error === null) void fetchNextPage();
            }}
            readAll={readAll}
            handle={grid}
          />
        </ListWithDetails>
      )}
    </div>
  );
}

const NoChanges = ({ isFiltered, onAll }: { isFiltered: boolean; onAll: () => void }) => (
  <Empty
    icon={<History aria-hidden />}
    title={isFiltered ? "Nobody has changed anything of this kind" : "Nobody has changed anything yet"}
    acts={isFiltered ? <Button onPress={onAll}>All changes</Button> : null}
  >
    <p>Deploys, sharing, switches and exports are listed here for good.</p>
  </Empty>
);

/** When it was, and the screen on which the person finds what was changed. */
function ChangeDetails({ entry, canvas: id, known }: { entry: Activity; canvas: string; known: Known }) {
  const { at, act, target } = entry;
  const { group } = TOLD[act];
  const params = { id };
  return (
    <>
      <p>
        <Time at={at} as="exact" />
      </p>
      {group === "versions" && target !== null ? (
        known.versionName(target) === null ? (
          <p className="soft">
            The version is not there any more: it was deleted, or made room for newer ones.
          </p>
        ) : (
          <p>
            <Link to="/canvases/$id/versions" params={params} search={{ version: target }}>
              The version
            </Link>
          </p>
        )
      ) : null}
      {group === "sharing" ? (
        <p>
          <Link to="/canvases/$id/sharing" params={params}>
            Who may open it now
          </Link>
        </p>
      ) : null}
    </>
  );
}
