import type { ReactNode } from "react";
import { Button } from "./Button.tsx";
import { ErrorNote } from "./ErrorNote.tsx";

/** The form of a dialog: its fields, why it failed, and the buttons that cancel it and send it. While it is being sent, it is not sent again. */
export const DialogForm = ({
  act,
  isDanger = false,
  isPending,
  isDisabled = false,
  error = null,
  onSubmit,
  onClose,
  children,
}: {
  /** The label of the button that sends the form. */
  act: string;
  isDanger?: boolean;
  isPending: boolean;
  isDisabled?: boolean;
  /** An error that belongs to no field. */
  error?: Error | null;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}) => (
  <form
    className="stack"
    noValidate
    onSubmit={(event) => {
      event.preventDefault();
      if (!isPending && !isDisabled) onSubmit();
    }}
  >
    {children}
    {error === null ? null : <ErrorNote error={error} />}
    <div className="dialog-acts">
      <Button onPress={onClose}>Cancel</Button>
      <Button
        type="submit"
        look={isDanger ? "danger" : "primary"}
        isPending={isPending}
        isDisabled={isDisabled}
      >
        {act}
      </Button>
    </div>
  </form>
);
