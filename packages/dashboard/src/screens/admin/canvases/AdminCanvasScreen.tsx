import "../people/people.css";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { adminCanvasQuery, adminChanged, restoreAnyCanvas } from "../../../api/admin.ts";
import { ApiError } from "../../../api/api-error.ts";
import type { AdminCanvas } from "../../../api/types.ts";
import { shortAddress } from "../../../canvas/address.ts";
import { stateOf } from "../../../canvas/state.ts";
import { NotFound } from "../../../frame/ScreenError.tsx";
import { Badge } from "../../../kit/Badge.tsx";
import { Button } from "../../../kit/Button.tsx";
import { DangerAct } from "../../../kit/DangerAct.tsx";
import { ErrorNote } from "../../../kit/ErrorNote.tsx";
import { Facts } from "../../../kit/Facts.tsx";
import { keepFocus } from "../../../kit/focus.ts";
import { Loading } from "../../../kit/Loading.tsx";
import { Screen } from "../../../kit/Screen.tsx";
import { Time } from "../../../kit/Time.tsx";
import { toast } from "../../../kit/toasts.ts";
import { Disable } from "./Disable.tsx";
import { ExplainAny } from "./ExplainAny.tsx";
import { Reassign } from "./Reassign.tsx";
import { accessWords } from "./words.ts";

/** One canvas as administrators see it: what it is, who owns it, who gets in, and what they can do about it. Never its content. */
export function AdminCanvasScreen() {
  const { canvasId } = useParams({ from: "/admin/canvases/$canvasId" });
  const { data: canvas, error } = useQuery(adminCanvasQuery(canvasId));
  if (error instanceof ApiError && error.status === 404) return <NotFound />;
  if (canvas === undefined)
    return (
      <Screen title="Canvas">
        {error === null ? <Loading what="the canvas" /> : <ErrorNote error={error} />}
      </Screen>
    );
  return (
    <>
      <p>
        <Link to="/admin/canvases" className="back-link">
          <ArrowLeft aria-hidden /> Canvases
        </Link>
      </p>
      <Screen title={canvas.title}>
        <div className="stack">
          <About canvas={canvas} />
          <section className="card stack" aria-labelledby="acts">
            <h2 id="acts">What you can do</h2>
            {canvas.deletedAt === null ? null : <Restore canvas={canvas} />}
            <Disable canvas={canvas} />
            {canvas.deletedAt === null ? <Reassign canvas={canvas} /> : null}
          </section>
          <ExplainAny canvas={canvas} />
          <p className="soft small">
            Administrators see no content here: no pages, no data, no files. Somebody with a right on the
            canvas can share it with you.
          </p>
        </div>
      </Screen>
    </>
  );
}

function About({ canvas }: { canvas: AdminCanvas }) {
  const { url, slug, owner, createdAt, updatedAt, expiresAt, deletedAt, disabledAt, disabledReason } = canvas;
  const state = stateOf(canvas);
  const opens = canvas.publicationStatus === "published" && deletedAt === null;
  return (
    <section className="card stack" aria-label="Facts">
      <div className="row">
        <Badge look={state.look}>{state.text}</Badge>
        {deletedAt === null ? null : <Badge look="bad">In the trash</Badge>}
      </div>
      <Facts>
        <dt>{opens ? "Address" : "Name in the address"}</dt>
        <dd>
          {opens ? (
            <a href={url} target="_blank" rel="noopener">
              {shortAddress(url)}
            </a>
          ) : (
            <bdi>{slug}</bdi>
          )}
        </dd>
        <dt>Owner</dt>
        <dd>
          <Link to="/admin/people/$userId" params={{ userId: owner.id }}>
            <bdi>{owner.name}</bdi>
          </Link>{" "}
          <bdi className="soft">{owner.email}</bdi>
        </dd>
        <dt>What happened</dt>
        <dd>
          <Link to="/admin/audit" search={{ canvas: canvas.id }}>
            In the audit log
          </Link>
        </dd>
        <dt>Who may open it</dt>
        <dd>{accessWords(canvas)}</dd>
        {expiresAt === null ? null : (
          <>
            <dt>Sharing ends</dt>
            <dd>
              <Time at={expiresAt} />
            </dd>
          </>
        )}
        <dt>Created</dt>
        <dd>
          <Time at={createdAt} as="day" />
        </dd>
        <dt>Last changed</dt>
        <dd>
          <Time at={updatedAt} />
        </dd>
        {disabledAt === null ? null : (
          <>
            <dt>Disabled</dt>
            <dd>
              <Time at={disabledAt} />
              {disabledReason === null ? (
                ", without a reason"
              ) : (
                <>
                  : “<bdi>{disabledReason}</bdi>”
                </>
              )}
            </dd>
          </>
        )}
        {deletedAt === null ? null : (
          <>
            <dt>Deleted</dt>
            <dd>
              <Time at={deletedAt} />
            </dd>
          </>
        )}
      </Facts>
    </section>
  );
}

function Restore({ canvas: { id, title } }: { canvas: AdminCanvas }) {
  const act = useMutation({
    mutationFn: () => restoreAnyCanvas(id),
    onSuccess: () => toast({ text: `Restored ${title}.` }),
    onSettled: () => adminChanged(id).then(keepFocus),
  });
  return (
    <DangerAct
      title="Restore"
      error={act.error}
      button={
        <Button look="primary" isPending={act.isPending} onPress={() => act.mutate()}>
          Restore
        </Button>
      }
    >
      <p>It is as it was before, and belongs to the same owner. Deleted canvases are kept for 30 days.</p>
    </DangerAct>
  );
}
