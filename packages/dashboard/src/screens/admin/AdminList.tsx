import "./admin-list.css";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { type ReactNode, useCallback, useMemo } from "react";
import { Button } from "../../kit/Button.tsx";
import { DataGrid, type GridColumn, type GridRow } from "../../kit/DataGrid.tsx";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { ListSearchField } from "../../kit/ListSearchField.tsx";
import { Loading } from "../../kit/Loading.tsx";
import { NativeSelect } from "../../kit/NativeSelect.tsx";
import type { Choice } from "../../kit/Select.tsx";
import { countOf } from "../../kit/words.ts";

/** What the address of a list keeps: a text to search for and a filter. */
interface Search<Show extends string> {
  q?: string | undefined;
  show?: Show | undefined;
}

interface AdminListProps<Page, Row extends GridRow, Show extends string> {
  /** What the rows are, such as "people". */
  what: string;
  searchLabel: string;
  search: Search<Show>;
  onSearch: (search: Search<Show>) => void;
  /** The filters. The first one lets everything pass. */
  filters: readonly Choice<Show | "">[];
  query: UseInfiniteQueryResult<InfiniteData<Page>>;
  rowsOf: (page: Page) => readonly Row[];
  columns: readonly GridColumn[];
  cell: (row: Row, column: string) => ReactNode;
  card: (row: Row) => ReactNode;
  textOf: (row: Row) => string;
  onOpen: (row: Row) => void;
  /** What is shown if nothing is found. */
  empty: ReactNode;
}

/** A list of the administration: a search, a filter, and a grid that reads page after page. Only the rows in view are in the document. */
export function AdminList<Page, Row extends GridRow, Show extends string>({
  what,
  searchLabel,
  search,
  onSearch,
  filters,
  query,
  rowsOf,
  columns,
  cell,
  card,
  textOf,
  onOpen,
  empty,
}: AdminListProps<Page, Row, Show>) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch, isPending } = query;
  const rows = useMemo(() => data?.pages.flatMap((page) => [...rowsOf(page)]) ?? [], [data, rowsOf]);
  const more = useCallback(() => {
    if (!isFetchingNextPage && error === null) void fetchNextPage();
  }, [isFetchingNextPage, error, fetchNextPage]);

  const readAll = async (): Promise<string | null> => {
    for (;;) {
      const { data, hasNextPage, isError } = await fetchNextPage({ cancelRefetch: false });
      if (isError) return null;
      if (!hasNextPage) return data?.pages.flatMap((page) => [...rowsOf(page)]).at(-1)?.id ?? null;
    }
  };

  return (
    <>
      <div className="list-tools">
        <ListSearchField
          label={searchLabel}
          text={search.q ?? ""}
          onChange={(q) => onSearch({ ...search, q })}
        />
        <NativeSelect
          hideLabel
          label="Show"
          choices={filters}
          value={search.show ?? ""}
          onChange={(to) => onSearch({ ...search, show: to === "" ? undefined : to })}
        />
      </div>
      {error === null ? null : (
        <ErrorNote error={error}>
          <div>
            <Button onPress={() => void (data === undefined ? refetch() : fetchNextPage())}>Try again</Button>
          </div>
        </ErrorNote>
      )}
      {isPending && error === null ? <Loading what={`the ${what}`} rows={8} /> : null}
      {query.isSuccess && rows.length === 0 ? empty : null}
      {rows.length === 0 ? null : (
        <DataGrid
          label={what}
          columns={columns}
          rows={rows}
          cell={cell}
          card={card}
          textOf={textOf}
          onOpen={onOpen}
          hasMore={hasNextPage}
          isReading={isFetchingNextPage}
          onMore={more}
          readAll={readAll}
        />
      )}
      <p className="hidden-text" role="status">
        {isFetchingNextPage ? `Reading more: ${countOf(rows.length, "row")} so far.` : ""}
      </p>
    </>
  );
}
