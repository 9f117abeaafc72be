import "./activity.css";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { History } from "lucide-react";
import { lazy, Suspense } from "react";
import { canvasQuery } from "../../api/queries.ts";
import { isEditor } from "../../canvas/state.ts";
import { Empty } from "../../kit/Empty.tsx";
import { Loading } from "../../kit/Loading.tsx";
import { useDocumentTitle } from "../../kit/Screen.tsx";
import { VIEWS, type View } from "./search.ts";

const NAMES: Record<View, string> = {
  changes: "Changes",
  calls: "Errors",
  use: "Use and limits",
};

/** Each view is a chunk of its own: lists and figures share little. */
const CONTENT = {
  changes: lazy(async () => ({ default: (await import("./Changes.tsx")).Changes })),
  calls: lazy(async () => ({ default: (await import("./Calls.tsx")).Calls })),
  use: lazy(async () => ({ default: (await import("./Use.tsx")).Use })),
};

/** What happened on a canvas, for its owner and editors: what people changed, what went wrong in the page, and what it uses. */
export function ActivityScreen() {
  const { id } = useParams({ from: "/canvases/$id/activity" });
  const { view = "changes" } = useSearch({ from: "/canvases/$id/activity" });
  const { data: canvas } = useSuspenseQuery(canvasQuery(id));
  useDocumentTitle(`Activity · ${canvas.title}`);
  if (!isEditor(canvas))
    return (
      <Empty icon={<History aria-hidden />} title="The activity is for the owner and editors">
        <p>They see who changed what, and what went wrong in the page.</p>
      </Empty>
    );
  const Content = CONTENT[view];
  return (
    <div className="activity">
      <nav className="views" aria-label="Parts of the activity">
        {VIEWS.map((each) => (
          <Link
            key={each}
            to="/canvases/$id/activity"
            params={{ id }}
            search={each === "changes" ? {} : { view: each }}
            aria-current={each === view ? "page" : undefined}
            // The router compares search parameters by parts.
            activeOptions={{ exact: true }}
          >
            {NAMES[each]}
          </Link>
        ))}
      </nav>
      <Suspense fallback={<Loading what="the activity" rows={8} />}>
        <Content canvas={canvas} />
      </Suspense>
    </div>
  );
}
