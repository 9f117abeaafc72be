import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { LayoutGrid } from "lucide-react";
import { type AdminCanvasFilters, adminCanvasesQuery } from "../../../api/admin.ts";
import type { AdminCanvas } from "../../../api/types.ts";
import { stateOf } from "../../../canvas/state.ts";
import { Badge } from "../../../kit/Badge.tsx";
import { Button } from "../../../kit/Button.tsx";
import type { GridColumn } from "../../../kit/DataGrid.tsx";
import { Empty } from "../../../kit/Empty.tsx";
import { Screen } from "../../../kit/Screen.tsx";
import { Time } from "../../../kit/Time.tsx";
import { AdminList } from "../AdminList.tsx";
import type { AdminCanvasesSearch } from "../search.ts";
import { accessWords } from "./words.ts";

const FILTERS = [
  { value: "", label: "All" },
  { value: "published", label: "Online" },
  { value: "draft", label: "Not online yet" },
  { value: "unpublished", label: "Taken offline" },
  { value: "archived", label: "Archived" },
  { value: "expired", label: "Expired" },
  { value: "disabled", label: "Disabled" },
  { value: "sharesExpiring", label: "Expires within a week" },
  { value: "deleted", label: "In the trash" },
] as const;

const COLUMNS: readonly GridColumn[] = [
  { id: "title", label: "Title" },
  { id: "owner", label: "Owner" },
  { id: "access", label: "Who may open it", width: 11 },
  { id: "state", label: "State", width: 12 },
  { id: "updated", label: "Last changed", width: 9 },
];

const State = ({ canvas }: { canvas: AdminCanvas }) => {
  const { look, text } =
    canvas.deletedAt === null ? stateOf(canvas) : { look: "bad" as const, text: "In the trash" };
  return <Badge look={look}>{text === "Disabled by an administrator" ? "Disabled" : text}</Badge>;
};

function cell(canvas: AdminCanvas, column: string) {
  switch (column) {
    case "title":
      return <bdi>{canvas.title}</bdi>;
    case "owner":
      return <bdi>{canvas.owner.email}</bdi>;
    case "access":
      return accessWords(canvas);
    case "state":
      return <State canvas={canvas} />;
    default:
      return <Time at={canvas.updatedAt} />;
  }
}

const card = (canvas: AdminCanvas) => (
  <div className="admin-card">
    <strong>
      <bdi>{canvas.title}</bdi>
    </strong>
    <bdi className="small soft">{canvas.owner.email}</bdi>
    <span className="row small soft">
      <State canvas={canvas} />
      <span>{accessWords(canvas)}</span>
    </span>
  </div>
);

const canvasesOf = ({ canvases }: { canvases: AdminCanvas[] }) => canvases;

/** Returns the filters of the API for what the address says. The trash is a list of its own there. */
const filtersOf = ({ q, show }: AdminCanvasesSearch): AdminCanvasFilters => ({
  q,
  ...(show === "deleted" ? { deleted: "true" as const } : { show }),
});

/** The canvases of everyone: searched and filtered by the address, the newest first, without their content. */
export function AdminCanvasesScreen() {
  const search = useSearch({ from: "/admin/canvases" });
  const navigate = useNavigate();
  const query = useInfiniteQuery(adminCanvasesQuery(filtersOf(search)));
  const change = (to: AdminCanvasesSearch) =>
    void navigate({ to: "/admin/canvases", search: to, replace: true, resetScroll: false });
  return (
    <Screen title="Canvases">
      <p className="soft small admin-lead">
        Administrators see titles, owners and states. Content, data and the people with whom a canvas is
        shared are shown to its owner and editors alone.
      </p>
      <AdminList
        what="Canvases"
        searchLabel="Search titles, addresses and owners"
        search={search}
        onSearch={(to) => change(to as AdminCanvasesSearch)}
        filters={FILTERS}
        query={query}
        rowsOf={canvasesOf}
        columns={COLUMNS}
        cell={cell}
        card={card}
        textOf={({ title, owner }) => `${title}, ${owner.email}`}
        onOpen={({ id }) => void navigate({ to: "/admin/canvases/$canvasId", params: { canvasId: id } })}
        empty={
          <Empty
            icon={<LayoutGrid aria-hidden />}
            title="No canvas is found"
            acts={<Button onPress={() => change({})}>Show all</Button>}
          >
            <p>No title, address or owner contains the text, or no canvas passes the filter.</p>
          </Empty>
        }
      />
    </Screen>
  );
}
