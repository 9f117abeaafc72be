import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { TEMPLATES, type TemplateName } from "./template-names.ts";

/** A template, as its `easel.json` describes it. */
export interface Template {
  name: TemplateName;
  title: string;
  description: string;
}

/** The folder `dist/templates`, whether this code runs from `src/init` or from the bundle in `dist`. */
const FOLDER = path.join(
  import.meta.dirname,
  path.basename(import.meta.dirname) === "dist" ? "templates" : "../../dist/templates",
);

/** Returns the path of a template's folder. */
export const templateFolder = (name: TemplateName): string => path.join(FOLDER, name);

/** Reads the `easel.json` of a template. */
export async function readSettings(name: TemplateName): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(path.join(templateFolder(name), "easel.json"), "utf8"));
}

/** Reads the names, titles and descriptions of all templates. */
export const readTemplates = (): Promise<Template[]> =>
  Promise.all(
    TEMPLATES.map(async (name) => {
      const { title, description } = await readSettings(name);
      return { name, title: String(title), description: String(description) };
    }),
  );

/** Reads the files of a template except `easel.json`. Returns their contents by name. Templates have no subfolders. */
export async function readFiles(name: TemplateName): Promise<Map<string, Buffer>> {
  const folder = templateFolder(name);
  const names = (await readdir(folder)).filter((file) => file !== "easel.json").sort();
  const contents = names.map(
    async (file): Promise<[string, Buffer]> => [file, await readFile(path.join(folder, file))],
  );
  return new Map(await Promise.all(contents));
}
