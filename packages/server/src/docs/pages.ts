import { writeFileSync } from "node:fs";
import path from "node:path";
import * as actTables from "./act-tables.ts";
import { fillTemplate } from "./markdown.ts";
import * as routeTables from "./route-tables.ts";
import * as tables from "./tables.ts";

const DOCS = path.join(import.meta.dirname, "../../../../docs");
const TEMPLATES = path.join(import.meta.dirname, "templates");

/** Maps each name that templates contain as `{{name}}` to the function that returns the text to insert there. */
const INSERTS: Record<string, () => string> = { ...tables, ...actTables, ...routeTables };

/** The pages of `docs/` that are generated from templates and from tables in the code. */
export const PAGES = [
  "settings.md",
  "sharing.md",
  "operating.md",
  "monitoring.md",
  "http/runtime.md",
  "http/realtime.md",
  "http/management.md",
  "http/errors.md",
  "http/limits.md",
];

/** Returns the text of a page: its template with all tables inserted. */
export const printPage = (name: string): string => fillTemplate(path.join(TEMPLATES, name), INSERTS);

if (import.meta.main) {
  for (const name of PAGES) writeFileSync(path.join(DOCS, name), printPage(name));
}
