import "./canvases.css";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Shapes } from "lucide-react";
import { api, bodyOf } from "../../api/client.ts";
import { audienceOf, stateOf } from "../../canvas/state.ts";
import { Badge } from "../../kit/Badge.tsx";
import { Button } from "../../kit/Button.tsx";
import { Empty } from "../../kit/Empty.tsx";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { Loading } from "../../kit/Loading.tsx";
import { Mark } from "../../kit/Mark.tsx";
import { Screen } from "../../kit/Screen.tsx";
import { Time } from "../../kit/Time.tsx";

/** The canvases of the caller, and those shared with them. */
export function CanvasesScreen() {
  const list = useInfiniteQuery({
    queryKey: ["canvases"],
    initialPageParam: "",
    queryFn: ({ pageParam: cursor, signal }) =>
      bodyOf(api.GET("/api/canvases", { params: { query: cursor === "" ? {} : { cursor } }, signal })),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const canvases = list.data?.pages.flatMap(({ canvases }) => canvases) ?? [];
  return (
    <Screen title="Canvases">
      {list.error === null ? null : <ErrorNote error={list.error} />}
      {list.isPending ? <Loading what="your canvases" /> : null}
      {list.isSuccess && canvases.length === 0 ? (
        <Empty icon={<Shapes aria-hidden />} title="No canvas yet">
          <p>A canvas is a folder with an index.html. Only you can open it until you share it.</p>
        </Empty>
      ) : null}
      <ul className="canvas-list">
        {canvases.map((canvas) => {
          const { text, look } = stateOf(canvas);
          return (
            <li key={canvas.id}>
              <Link to="/canvases/$id" params={{ id: canvas.id }} className="canvas-row">
                <Mark id={canvas.id} title={canvas.title} />
                <span className="names">
                  <strong>
                    <bdi>{canvas.title}</bdi>
                  </strong>
                  <small className="soft">{canvas.slug}</small>
                </span>
                <small className="soft audience">{audienceOf(canvas)}</small>
                <Badge look={look}>{text}</Badge>
                <small className="soft when">
                  <Time at={canvas.updatedAt} />
                </small>
              </Link>
            </li>
          );
        })}
      </ul>
      {list.hasNextPage ? (
        <Button isPending={list.isFetchingNextPage} onPress={() => void list.fetchNextPage()}>
          Show more
        </Button>
      ) : null}
    </Screen>
  );
}
