import type { Tool } from "./tool.ts";
import { deployCanvas } from "./tools/deploy-canvas.ts";
import { getCanvas } from "./tools/get-canvas.ts";
import { listCanvases } from "./tools/list-canvases.ts";
import { readData } from "./tools/read-data.ts";
import { readErrors } from "./tools/read-errors.ts";

/** The tools of `/mcp`, in the order in which programs see them. */
export const TOOLS: readonly Tool[] = [listCanvases, getCanvas, readData, readErrors, deployCanvas];
