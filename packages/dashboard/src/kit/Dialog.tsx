import "./dialog.css";
import { type ReactNode, useState } from "react";
import { Dialog as AriaDialog } from "react-aria-components/Dialog";
import { Heading } from "react-aria-components/Heading";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { Button } from "./Button.tsx";
import { ErrorNote } from "./ErrorNote.tsx";

/** A dialog over the page. The focus moves into it, and back when it closes. Escape and a click beside it close it. */
export const Dialog = ({
  title,
  isOpen,
  onClose,
  role = "dialog",
  children,
}: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  role?: "dialog" | "alertdialog";
  children: ReactNode;
}) => (
  <ModalOverlay
    className="overlay"
    isOpen={isOpen}
    isDismissable={role === "dialog"}
    onOpenChange={(open) => {
      if (!open) onClose();
    }}
  >
    <Modal className="modal">
      <AriaDialog role={role} className="dialog">
        <Heading slot="title">{title}</Heading>
        {children}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
);

/** Asks before an act that cannot be undone, or that lets more people in. The error of the act is shown in the dialog. */
export function ConfirmDialog({
  title,
  children,
  act,
  isDanger = false,
  isOpen,
  onClose,
  onConfirm,
}: {
  title: string;
  children: ReactNode;
  /** The label of the button that performs the act. */
  act: string;
  isDanger?: boolean;
  isOpen: boolean;
  onClose: () => void;
  onConfirm: () => Promise<unknown>;
}) {
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const close = () => {
    setError(null);
    onClose();
  };
  const confirm = async () => {
    setPending(true);
    setError(null);
    try {
      await onConfirm();
      onClose();
    } catch (failure) {
      setError(failure as Error);
    } finally {
      setPending(false);
    }
  };
  return (
    <Dialog title={title} role="alertdialog" isOpen={isOpen} onClose={close}>
      <div className="dialog-text">{children}</div>
      {error === null ? null : <ErrorNote error={error} />}
      <div className="dialog-acts">
        <Button onPress={close}>Cancel</Button>
        <Button look={isDanger ? "danger" : "primary"} isPending={isPending} onPress={confirm}>
          {act}
        </Button>
      </div>
    </Dialog>
  );
}

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
