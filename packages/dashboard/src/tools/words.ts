import { TOOL_RIGHTS } from "@easel/protocol/management";
import type { ConnectedTool } from "../api/types.ts";
import { isolated } from "../kit/words.ts";

/** Returns on which canvases a tool may act, in words. */
export function canvasesOf({ canvas, ownOnly }: Pick<ConnectedTool, "canvas" | "ownOnly">): string {
  if (ownOnly) return "only canvases that it makes itself";
  if (canvas === null) return "every canvas";
  return canvas.title === null
    ? "only one canvas, which is deleted or no longer shared"
    : `only the canvas “${isolated(canvas.title)}”`;
}

/** Returns what a tool may do, on which canvases, and whether it asks first, in a sentence. */
export function rightsOf(tool: Pick<ConnectedTool, "scope" | "canvas" | "ownOnly" | "confirms">): string {
  const asks =
    tool.scope !== "full"
      ? ""
      : tool.confirms
        ? " Asks before it opens a canvas to more people."
        : " Does not ask before it opens a canvas to more people of the organisation.";
  return `${TOOL_RIGHTS[tool.scope].label}: ${canvasesOf(tool)}.${asks}`;
}

/** Returns where a tool is, as far as its consent has told: the host of its description, and the host to which it returned. */
export function placesOf({ client, redirectHost }: Pick<ConnectedTool, "client" | "redirectHost">): string {
  const places = [
    ...(client.host === null ? [] : [`described at ${isolated(client.host)}`]),
    ...(redirectHost === null ? [] : [`returned to ${isolated(redirectHost)}`]),
  ];
  const text = places.join(", ");
  return text === "" ? "" : `${text[0]?.toUpperCase()}${text.slice(1)}`;
}
