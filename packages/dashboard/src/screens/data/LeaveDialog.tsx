import { Button } from "../../kit/Button.tsx";
import { Dialog } from "../../kit/Dialog.tsx";

/** Asks before what was typed is left. */
export const LeaveDialog = ({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) => (
  <Dialog title="Leave what you changed?" role="alertdialog" isOpen onClose={onStay}>
    <p className="dialog-text">It is not saved, and would be lost.</p>
    <div className="dialog-acts">
      <Button onPress={onStay}>Go on editing</Button>
      <Button look="danger" onPress={onLeave}>
        Leave it
      </Button>
    </div>
  </Dialog>
);
