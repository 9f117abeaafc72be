import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import {
  deleteCanvas,
  publishVersion,
  restoreCanvas,
  takeOffline,
  transferCanvas,
} from "../../api/canvas-acts.ts";
import { canvasChanged, canvasKey, queries } from "../../api/queries.ts";
import type { Canvas } from "../../api/types.ts";
import { toastWithUndo, useCanvasChange } from "../../canvas/changes.ts";
import { Button } from "../../kit/Button.tsx";
import { ComboBox } from "../../kit/ComboBox.tsx";
import { DangerAct } from "../../kit/DangerAct.tsx";
import { Dialog } from "../../kit/Dialog.tsx";
import { focusContent } from "../../kit/focus.ts";
import { toast } from "../../kit/toasts.ts";

/** The acts of the owner that take something away. Each says what happens, and two of them have Undo. */
export function DangerZone({ canvas }: { canvas: Canvas }) {
  const isDisabled = canvas.publicationStatus === "disabled";
  return (
    <section className="card danger-zone" aria-labelledby="danger">
      <h2 id="danger">Give away or take away</h2>
      {isDisabled ? (
        <p className="soft">A disabled canvas can be neither handed over, taken offline nor deleted.</p>
      ) : (
        <>
          <Transfer canvas={canvas} />
          {canvas.publicationStatus === "published" ? <TakeOffline canvas={canvas} /> : null}
          <Delete canvas={canvas} />
        </>
      )}
    </section>
  );
}

function Transfer({ canvas }: { canvas: Canvas }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <DangerAct title="Hand it over" button={<Button onPress={() => setOpen(true)}>Hand over…</Button>}>
      One of the editors becomes the owner. You stay an editor.
      <Dialog title="Hand the canvas over" isOpen={isOpen} onClose={() => setOpen(false)}>
        <TransferForm canvas={canvas} onClose={() => setOpen(false)} />
      </Dialog>
    </DangerAct>
  );
}

function TransferForm({ canvas: { id, people }, onClose }: { canvas: Canvas; onClose: () => void }) {
  const [email, setEmail] = useState("");
  const editors = people.filter(({ role }) => role === "editor");
  const proposals = editors
    .filter((editor) =>
      `${editor.name ?? ""} ${editor.email}`.toLowerCase().includes(email.trim().toLowerCase()),
    )
    .map((editor) => ({
      id: editor.email,
      label: editor.name ?? editor.email,
      description: editor.name === null ? undefined : editor.email,
    }));
  const transfer = useCanvasChange(id, async (to: string) => {
    const { owner } = await transferCanvas(id, to);
    onClose();
    toast({ text: `${owner.name} owns it now. You are an editor.` });
  });
  const submit = () => {
    if (!transfer.isPending) transfer.mutate(email.trim());
  };
  return (
    <div className="stack">
      <div className="dialog-text">
        <p>
          The new owner decides who gets in, can delete it, and it counts toward their quotas. You stay an
          editor, and only they can give it back.
        </p>
      </div>
      <ComboBox
        label="New owner"
        description={
          editors.length === 0
            ? "The e-mail address of an editor. Make somebody an editor in Sharing first."
            : "The e-mail address of an editor who has signed in once."
        }
        proposals={proposals}
        text={email}
        onText={setEmail}
        chosen={proposals.some(({ id }) => id === email) ? email : null}
        onChoose={setEmail}
        onEnter={submit}
        opensOnFocus
        error={transfer.error?.message ?? null}
      />
      <div className="dialog-acts">
        <Button onPress={onClose}>Cancel</Button>
        <Button look="danger" isPending={transfer.isPending} onPress={submit}>
          Hand over
        </Button>
      </div>
    </div>
  );
}

function TakeOffline({ canvas: { id, version } }: { canvas: Canvas }) {
  const act = useCanvasChange(id, async () => {
    await takeOffline(id);
    toastWithUndo(id, "It is offline.", async () => version === null || publishVersion(id, version));
    focusContent();
  });
  return (
    <DangerAct
      title="Take it offline"
      error={act.error}
      button={
        <Button look="danger" isPending={act.isPending} onPress={() => act.mutate()}>
          Take offline
        </Button>
      }
    >
      Nobody can open it until you publish a version again. Files, data and sharing stay.
    </DangerAct>
  );
}

function Delete({ canvas: { id, title } }: { canvas: Canvas }) {
  const navigate = useNavigate();
  const act = useMutation({
    async mutationFn() {
      await deleteCanvas(id);
      toastWithUndo(id, `Deleted ${title}.`, async () => {
        await restoreCanvas(id);
        await navigate({ to: "/canvases/$id", params: { id } });
      });
      await navigate({ to: "/" });
      queries.removeQueries({ queryKey: canvasKey(id) });
      await queries.invalidateQueries({ queryKey: ["canvases"] });
    },
    onError: () => canvasChanged(id),
  });
  return (
    <DangerAct
      title="Delete it"
      error={act.error}
      button={
        <Button look="danger" isPending={act.isPending} onPress={() => act.mutate()}>
          Delete
        </Button>
      }
    >
      It goes to the trash with its files and data. You can restore it for 30 days.
    </DangerAct>
  );
}
