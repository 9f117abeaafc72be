import { useMutation } from "@tanstack/react-query";
import { canvasChanged } from "../api/queries.ts";
import { toast } from "../kit/toasts.ts";

/**
 * A change of a canvas. What is known of the canvas is read again after a success and after a failure, which may mean that the screen is out
 * of date: the canvas may have been deleted, disabled or handed over in the meantime.
 */
export const useCanvasChange = <Input = void, Output = unknown>(
  id: string,
  change: (input: Input) => Promise<Output>,
) => useMutation({ mutationFn: change, onSettled: () => canvasChanged(id) });

/** Says that a canvas was changed, and offers to undo that. If that fails, the screen shows the state as it is. */
export const toastWithUndo = (id: string, text: string, undo: () => Promise<unknown>): void =>
  toast({
    text,
    act: {
      label: "Undo",
      async run() {
        try {
          await undo();
        } catch (error) {
          toast({ text: `It could not be undone. ${(error as Error).message}` });
        }
        await canvasChanged(id);
      },
    },
  });
