import "./overview.css";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { canvasQuery, invitesQuery, meQuery } from "../../api/queries.ts";
import type { Canvas } from "../../api/types.ts";
import { accessSentence } from "../../canvas/access-sentence.ts";
import { isEditor } from "../../canvas/state.ts";
import { ButtonLink } from "../../kit/Button.tsx";
import { useDocumentTitle } from "../../kit/Screen.tsx";
import { BackendCard } from "./BackendCard.tsx";
import { DangerZone } from "./DangerZone.tsx";
import { PageFrame } from "./PageFrame.tsx";
import { TagsCard } from "./TagsCard.tsx";
import { UseCard } from "./UseCard.tsx";
import { VersionCard } from "./VersionCard.tsx";
import { WayOut } from "./WayOut.tsx";

/** What a canvas is, whether it is online, who may open it, and how it fares. */
export function OverviewScreen() {
  const { id } = useParams({ from: "/canvases/$id" });
  const { data: canvas } = useSuspenseQuery(canvasQuery(id));
  const { data: me } = useSuspenseQuery(meQuery);
  useDocumentTitle(canvas.title);
  return (
    <div className="stack overview">
      <WayOut canvas={canvas} />
      <AccessCard canvas={canvas} />
      {me.urlMode === "subdomain" && canvas.publicationStatus === "published" ? (
        <PageFrame canvas={canvas} />
      ) : null}
      <div className="cards">
        <VersionCard canvas={canvas} />
        {isEditor(canvas) ? (
          <>
            <BackendCard canvas={canvas} />
            <UseCard canvas={canvas} />
          </>
        ) : null}
        <TagsCard canvas={canvas} />
      </div>
      {canvas.viewerRole === "owner" ? <DangerZone canvas={canvas} /> : null}
    </div>
  );
}

/** Who may open the canvas and who may change it, in one sentence. */
function AccessCard({ canvas }: { canvas: Canvas }) {
  const { data: me } = useSuspenseQuery(meQuery);
  const invites = useQuery({ ...invitesQuery(canvas.id), enabled: isEditor(canvas) });
  const guests = invites.data?.filter(({ revokedAt }) => revokedAt === null).length ?? 0;
  return (
    <section className="card access" aria-labelledby="access">
      <h2 id="access">
        Who may open it{canvas.publicationStatus === "published" ? "" : " once it is online"}
      </h2>
      {isEditor(canvas) && invites.isPending ? null : <p>{accessSentence(canvas, me, guests)}</p>}
      {isEditor(canvas) ? (
        <ButtonLink to="/canvases/$id/sharing" params={{ id: canvas.id }}>
          Sharing
        </ButtonLink>
      ) : null}
    </section>
  );
}
