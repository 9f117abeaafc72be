import "./tools.css";
import { useState } from "react";
import type { ConnectedTool } from "../api/types.ts";
import { Badge } from "../kit/Badge.tsx";
import { Button } from "../kit/Button.tsx";
import { ConfirmDialog } from "../kit/Dialog.tsx";
import { focusContent } from "../kit/focus.ts";
import { Time } from "../kit/Time.tsx";
import { toast } from "../kit/toasts.ts";
import { placesOf, rightsOf } from "./words.ts";

/** What vouches for the name of a tool, where somebody must know that nothing does. */
export const Vouched = ({ verified, isToken = false }: { verified: boolean; isToken?: boolean }) =>
  isToken ? (
    <Badge look="plain">Access token</Badge>
  ) : verified ? null : (
    <Badge look="wait">Name not verified</Badge>
  );

/** Connected tools: what each may do and when it was used, and a button that ends it once somebody has agreed. */
export function ToolList({
  tools,
  onEnd,
}: {
  tools: readonly ConnectedTool[];
  /** Ends a tool, and reads the list again. */
  onEnd: (tool: ConnectedTool) => Promise<unknown>;
}) {
  const [ending, setEnding] = useState<ConnectedTool | null>(null);
  return (
    <>
      <ul className="tools">
        {tools.map((tool) => (
          <ToolLine key={tool.id} tool={tool} onEnd={() => setEnding(tool)} />
        ))}
      </ul>
      {ending === null ? null : (
        <ConfirmDialog
          title="End this tool?"
          act="End"
          isDanger
          isOpen
          onClose={() => setEnding(null)}
          onConfirm={async () => {
            await onEnd(ending);
            focusContent();
            toast({ text: `Ended ${ending.client.name}.` });
          }}
        >
          <p>
            <bdi>{ending.client.name}</bdi> is refused from its next call on. What it has made stays.
          </p>
          <p>
            {ending.isToken
              ? "The token cannot be used again; a new one can be created."
              : "To act again, it has to ask for access anew."}
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function ToolLine({ tool, onEnd }: { tool: ConnectedTool; onEnd: () => void }) {
  const { client, isToken, createdAt, usedAt, expiresAt } = tool;
  const places = placesOf(tool);
  return (
    <li>
      <div className="tool">
        <span className="tool-name">
          <strong>
            <bdi>{client.name}</bdi>
          </strong>
          <Vouched verified={client.verified} isToken={isToken} />
        </span>
        <span>{rightsOf(tool)}</span>
        {places === "" ? null : <small className="soft">{places}</small>}
        <small className="soft">
          {isToken ? "Created" : "Connected"} <Time at={createdAt} />,{" "}
          {usedAt === null ? (
            "never used"
          ) : (
            <>
              last used <Time at={usedAt} />
            </>
          )}
          ,{" "}
          {expiresAt === null ? (
            "never ends"
          ) : (
            <>
              ends <Time at={expiresAt} as="day" />
            </>
          )}
        </small>
      </div>
      <Button onPress={onEnd} aria-label={`End ${client.name}`}>
        End…
      </Button>
    </li>
  );
}
