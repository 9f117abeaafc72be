import type { Tool } from "./tool.ts";
import { configureCanvas } from "./tools/configure-canvas.ts";
import { deleteCanvas } from "./tools/delete-canvas.ts";
import { deployCanvas } from "./tools/deploy-canvas.ts";
import { getCanvas } from "./tools/get-canvas.ts";
import { guide } from "./tools/guide.ts";
import { listCanvases } from "./tools/list-canvases.ts";
import { publishVersion } from "./tools/publish-version.ts";
import { readData } from "./tools/read-data.ts";
import { readErrors } from "./tools/read-errors.ts";
import { readFiles } from "./tools/read-files.ts";
import { shareCanvas } from "./tools/share-canvas.ts";
import { uploadCommand } from "./tools/upload-command.ts";
import { writeData } from "./tools/write-data.ts";

/** The tools of `/mcp`, in the order in which programs see them. */
export const TOOLS: readonly Tool[] = [
  guide,
  listCanvases,
  getCanvas,
  readFiles,
  readData,
  readErrors,
  deployCanvas,
  uploadCommand,
  publishVersion,
  configureCanvas,
  shareCanvas,
  deleteCanvas,
  writeData,
];
