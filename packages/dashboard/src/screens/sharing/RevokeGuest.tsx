import { X } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { canvasChanged } from "../../api/queries.ts";
import type { Invitation } from "../../api/types.ts";
import { Button } from "../../kit/Button.tsx";
import { ConfirmDialog } from "../../kit/Dialog.tsx";
import { toast } from "../../kit/toasts.ts";

/** A button that revokes an invitation, after a question. `onGone` is called before the row of the guest goes. */
export function RevokeGuest({
  canvas,
  guest,
  onGone,
}: {
  canvas: string;
  guest: Invitation;
  onGone: () => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const revoke = async () => {
    const path = { id: canvas, invite: guest.id };
    await api.DELETE("/api/canvases/{id}/invites/{invite}", { params: { path } });
    onGone();
    toast({ text: `Revoked the invitation of ${guest.name}.` });
    await canvasChanged(canvas);
  };
  return (
    <span data-remove>
      <Button
        look="quiet"
        icon={<X aria-hidden />}
        aria-label={`Revoke the invitation of ${guest.name}`}
        onPress={() => setOpen(true)}
      />
      <ConfirmDialog
        title="Revoke the invitation?"
        act="Revoke"
        isDanger
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={revoke}
      >
        <p>
          The link of <bdi>{guest.name}</bdi> (<bdi>{guest.email}</bdi>) stops working, and their sessions
          end. To let them in again, invite them again: the link will be another one.
        </p>
      </ConfirmDialog>
    </span>
  );
}
