import type { ReactNode } from "react";
import { changeCapabilities } from "../../api/canvas-acts.ts";
import type { Canvas } from "../../api/types.ts";
import { useCanvasChange } from "../../canvas/changes.ts";
import { Button } from "../../kit/Button.tsx";
import { ErrorNote } from "../../kit/ErrorNote.tsx";

/** What a capability keeps, in words. */
const KEEPS = { kv: "Keys and records", files: "Files" } as const;

/**
 * Shows data only while its capability is on: the service refuses it otherwise. What is stored stays, and owner and editors can
 * switch it on here.
 */
export function Gate({
  canvas,
  capability,
  children,
}: {
  canvas: Canvas;
  capability: keyof typeof KEEPS;
  children: ReactNode;
}) {
  const off = canvas.capabilitiesOff[capability];
  const { mutate, isPending, error } = useCanvasChange(canvas.id, () =>
    changeCapabilities(canvas.id, { backendEnabled: true, [capability]: true }),
  );
  if (off === undefined) return children;
  return (
    <div className="stack">
      <div className="note wait" role="status">
        <p>
          {off === "operator_disabled"
            ? `${KEEPS[capability]} are switched off on this service.`
            : off === "backend_off"
              ? "The backend of this canvas is switched off: its page shows its files and stores nothing."
              : `${KEEPS[capability]} are switched off on this canvas.`}
        </p>
        <p className="small">What was stored before is kept, and is not shown meanwhile.</p>
        {off === "operator_disabled" ? null : (
          <p>
            <Button isPending={isPending} onPress={() => mutate()}>
              {off === "backend_off" && capability === "kv"
                ? "Switch the backend on"
                : `Switch ${KEEPS[capability].toLowerCase()} on`}
            </Button>
          </p>
        )}
      </div>
      {error === null ? null : <ErrorNote error={error} />}
    </div>
  );
}
