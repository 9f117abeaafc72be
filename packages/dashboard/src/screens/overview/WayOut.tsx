import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { publishVersion, updateCanvas } from "../../api/canvas-acts.ts";
import { versionsQuery } from "../../api/queries.ts";
import type { Canvas } from "../../api/types.ts";
import { useCanvasChange } from "../../canvas/changes.ts";
import { isEditor } from "../../canvas/state.ts";
import { Button, ButtonLink } from "../../kit/Button.tsx";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { focusContent } from "../../kit/focus.ts";

/** Why a canvas does not open, and for those who may change that, the act that leads out. Nothing for a canvas that is online. */
export function WayOut({ canvas }: { canvas: Canvas }) {
  const { publicationStatus, disabledReason } = canvas;
  if (publicationStatus === "published") return null;
  if (publicationStatus === "disabled")
    return (
      <Note look="bad">
        <p>
          {disabledReason ? (
            <>
              An administrator gave this reason: <bdi>{disabledReason}</bdi>
            </>
          ) : (
            "An administrator gave no reason."
          )}
        </p>
        <p>
          Nobody can open or change it. Only an administrator of this service can enable it again: ask them.
        </p>
      </Note>
    );
  if (!isEditor(canvas))
    return (
      <Note>
        <p>
          You cannot open it now. <bdi>{canvas.owner.name}</bdi> can change that.
        </p>
      </Note>
    );
  if (publicationStatus === "archived") return <Archived id={canvas.id} />;
  if (publicationStatus === "expired")
    return (
      <Note
        act={
          <ButtonLink look="primary" to="/canvases/$id/sharing" params={{ id: canvas.id }}>
            Change the date
          </ButtonLink>
        }
      >
        <p>It still opens for its owner and editors, and for nobody else.</p>
      </Note>
    );
  return <Offline canvas={canvas} />;
}

const Note = ({
  look = "wait",
  act,
  children,
}: {
  look?: "wait" | "bad";
  act?: ReactNode;
  children: ReactNode;
}) => (
  <section className={`note way-out ${look}`} aria-label="Why it does not open">
    <div>{children}</div>
    {act}
  </section>
);

function Archived({ id }: { id: string }) {
  const restore = useCanvasChange(id, async () => {
    await updateCanvas(id, { archived: false });
    focusContent();
  });
  return (
    <>
      <Note
        act={
          <Button look="primary" isPending={restore.isPending} onPress={() => restore.mutate()}>
            Restore from the archive
          </Button>
        }
      >
        <p>Nobody can open it while it is archived. Its files, data and sharing are kept.</p>
      </Note>
      {restore.error === null ? null : <ErrorNote error={restore.error} />}
    </>
  );
}

/** A canvas that was taken offline or never published. It has a way back at once if a version is stored. */
function Offline({ canvas: { id, publicationStatus } }: { canvas: Canvas }) {
  const versions = useQuery(versionsQuery(id));
  const publish = useCanvasChange(id, async (version: string) => {
    await publishVersion(id, version);
    focusContent();
  });
  const stored = versions.data ?? [];
  const last = stored.find(({ current }) => current) ?? stored[0];
  return (
    <>
      <Note
        act={
          <div className="row">
            <ButtonLink
              look={last === undefined ? "primary" : "plain"}
              to="/canvases/$id/deploy"
              params={{ id }}
            >
              Choose files
            </ButtonLink>
            {last === undefined ? null : (
              <Button look="primary" isPending={publish.isPending} onPress={() => publish.mutate(last.id)}>
                {publicationStatus === "unpublished" ? "Put it online again" : "Publish the stored version"}
              </Button>
            )}
          </div>
        }
      >
        {last === undefined ? (
          <p>It has no files yet. Drop a folder with an index.html anywhere on this page, or choose one.</p>
        ) : (
          <p>
            Nobody can open it.{" "}
            <Link to="/canvases/$id/versions" params={{ id }}>
              {stored.length === 1 ? "One version is" : `${stored.length} versions are`} stored
            </Link>
            : publish one, or drop new files here.
          </p>
        )}
      </Note>
      {publish.error === null ? null : <ErrorNote error={publish.error} />}
    </>
  );
}
