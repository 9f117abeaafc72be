import { runtimeOf } from "../../../api/runtime.ts";
import { ButtonAnchor } from "../../../kit/Button.tsx";
import { ConfirmDialog } from "../../../kit/Dialog.tsx";
import { toast } from "../../../kit/toasts.ts";
import { countOf } from "../../../kit/words.ts";

/** Asks before all submissions are deleted, with their number, and offers the export first. */
export const DeleteAll = ({
  canvas,
  name,
  count,
  onClose,
  onDeleted,
}: {
  canvas: string;
  name: string;
  count: number;
  onClose: () => void;
  onDeleted: () => Promise<unknown>;
}) => (
  <ConfirmDialog
    title="Delete all submissions?"
    act={`Delete ${countOf(count, "submission")}`}
    isDanger
    isOpen
    onClose={onClose}
    onConfirm={async () => {
      await runtimeOf(canvas).submissions.clear(name);
      toast({ text: `Deleted all submissions to ${name}.` });
      await onDeleted();
    }}
  >
    <p>
      {countOf(count, "submission")} to <bdi>{name}</bdi> {count === 1 ? "is" : "are"} deleted, of all people,
      and cannot be brought back.
    </p>
    <p>
      <ButtonAnchor href={`/api/canvases/${canvas}/export?what=submissions`} download look="quiet">
        Export first
      </ButtonAnchor>
    </p>
  </ConfirmDialog>
);
