import { TOOL_RIGHTS } from "@easel/protocol/management";
import type { ConnectedTool } from "../api/types.ts";
import { isolated, listOf } from "../kit/words.ts";

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

/** Returns which described programs may ask people, in words, from the setting `SERVICE_OAUTH_CLIENTS`, and those that it names itself. */
export function allowedOf(setting: string): string {
  const entries = entriesIn(setting);
  const hosts = entries.filter((each) => typeof each === "string").map(isolated);
  const names = entries
    .map((each) => Object(each).name as unknown)
    .filter((name) => typeof name === "string")
    .map(isolated);
  const where = hosts.length === 0 ? "At any host" : `Only at ${listOf(hosts)}`;
  return names.length === 0 ? where : `${where}, besides ${listOf(names)} of this service`;
}

/** Returns the list in a text of JSON. Any other text has none. */
function entriesIn(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
