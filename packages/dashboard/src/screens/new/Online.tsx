import { useMutation } from "@tanstack/react-query";
import { QrCode as QrIcon } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { api, bodyOf } from "../../api/client.ts";
import { canvasChanged } from "../../api/queries.ts";
import type { Canvas, Me } from "../../api/types.ts";
import { ACCESS_NAMES, type Access, CONSEQUENCES } from "../../canvas/general-access.ts";
import { OpenLink } from "../../canvas/OpenLink.tsx";
import { organisationOf } from "../../canvas/organisation.ts";
import type { Deployed } from "../../deploy/deploy.ts";
import { Button, ButtonLink } from "../../kit/Button.tsx";
import { Choices } from "../../kit/Choices.tsx";
import { Copy } from "../../kit/Copy.tsx";
import { ErrorNote } from "../../kit/ErrorNote.tsx";
import { FocusedHeading } from "../../kit/FocusedHeading.tsx";
import { Warnings } from "./Warnings.tsx";

const QrCode = lazy(() => import("./QrCode.tsx"));

/** Who may open a new canvas. Nothing changes before it is saved. */
function WhoMayOpen({ canvas, me }: { canvas: Canvas; me: Me }) {
  const [saved, setSaved] = useState(canvas.access);
  const [access, setAccess] = useState(canvas.access);
  const save = useMutation({
    mutationFn: () =>
      bodyOf(
        api.PUT("/api/canvases/{id}/sharing", { params: { path: { id: canvas.id } }, body: { access } }),
      ),
    onSuccess: (changed) => {
      setSaved(changed.access);
      return canvasChanged(canvas.id);
    },
  });
  const organisation = organisationOf(canvas, me);
  const choices = (Object.keys(ACCESS_NAMES) as Access[]).map((access) => {
    const isImpossible = access === "public_link" && !me.canPublishPublic;
    return {
      value: access,
      label: ACCESS_NAMES[access],
      description:
        access === "private"
          ? "Only you can open it, until you share it with others."
          : isImpossible
            ? "An administrator has to allow this for your account."
            : CONSEQUENCES[access](organisation),
      isDisabled: isImpossible,
    };
  });
  return (
    <section className="card stack" aria-label="Who may open it">
      <Choices label="Who may open it?" choices={choices} value={access} onChange={setAccess} />
      {save.error === null ? null : <ErrorNote error={save.error} />}
      <div className="row">
        {access === saved ? null : (
          <Button look="primary" isPending={save.isPending} onPress={() => save.mutate()}>
            Save
          </Button>
        )}
        <span role="status" className="soft">
          {save.isSuccess && access === saved ? "Saved." : ""}
        </span>
      </div>
    </section>
  );
}

/** The end of making a canvas: its address, and who may open it. */
export function Online({ canvas, warnings, me }: Deployed & { me: Me }) {
  const [hasCode, setCode] = useState(false);
  return (
    <div className="stack">
      <section className="card stack" aria-labelledby="online">
        <div>
          <FocusedHeading id="online">
            <bdi>{canvas.title}</bdi> is online
          </FocusedHeading>
          <p className="address">
            <a href={canvas.url} target="_blank" rel="noopener">
              {canvas.url}
            </a>
          </p>
        </div>
        <div className="row">
          <OpenLink canvas={canvas} look="primary" />
          <Copy text={canvas.url} what="address" label="Copy" look="plain" />
          <Button icon={<QrIcon aria-hidden />} aria-expanded={hasCode} onPress={() => setCode(!hasCode)}>
            QR code
          </Button>
        </div>
        {hasCode ? (
          <Suspense>
            <QrCode text={canvas.url} />
          </Suspense>
        ) : null}
        <Warnings warnings={warnings} />
      </section>
      <WhoMayOpen canvas={canvas} me={me} />
      <div className="row">
        <ButtonLink to="/canvases/$id" params={{ id: canvas.id }}>
          Go to the canvas
        </ButtonLink>
      </div>
    </div>
  );
}
