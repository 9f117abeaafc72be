import { lstat, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { faultsOf, jsonSchema } from "@easel/server/easel-json";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { firstSlug, nameOfFolder } from "../project/folder-name.ts";
import { SCHEMA_FILE, writeOwnFile } from "../project/own-folder.ts";
import { clean } from "../terminal/clean.ts";
import type { TemplateName } from "./template-names.ts";
import { readFiles, readSettings, readTemplates } from "./templates.ts";

/** The flags of `easel init`. */
export interface InitOptions {
  template?: TemplateName;
  name?: string;
  force?: boolean;
  list?: boolean;
}

const escapeHtml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Returns the `easel.json` of a new app. Its `$schema` is a local file, so that editors need neither a network nor a service. */
function settingsText(
  { $schema: _, ...settings }: Record<string, unknown>,
  title: string,
  slug: string | undefined,
): string {
  const all = { $schema: `./.easel/${SCHEMA_FILE}`, ...settings, title, slug };
  return `${JSON.stringify(all, null, 2)}\n`;
}

/** Returns the fault of a title, or undefined if the title is allowed in `easel.json`. */
const faultOfTitle = (title: string): string | undefined =>
  title === "" ? "It is empty." : faultsOf(JSON.stringify({ title }))[0];

/** Asks for the template. Returns `minimal` if nobody can be asked. */
async function chooseTemplate({ ask }: Context["terminal"]): Promise<TemplateName> {
  if (!ask.possible) return "minimal";
  const templates = await readTemplates();
  return ask.choose({
    message: "What do you begin with?",
    flag: "--template minimal",
    choices: templates.map(({ name, description }) => ({ value: name, label: name, hint: description })),
    initial: "minimal",
  });
}

/** Asks for the name of the app. Returns `placeholder` if nobody can be asked, and for an empty answer. */
async function chooseName(placeholder: string, { ask }: Context["terminal"]): Promise<string> {
  if (!ask.possible) return placeholder;
  return ask.text({
    message: "What is it called?",
    flag: "--name NAME",
    placeholder,
    check: (text) => faultOfTitle(text.trim()),
  });
}

/** Returns the names that already exist in a folder. Broken symbolic links count as existing. */
async function existing(folder: string, names: string[]): Promise<string[]> {
  const found = await Promise.all(
    names.map((name) =>
      lstat(path.join(folder, name)).then(
        () => name,
        (error: NodeJS.ErrnoException) => {
          if (error.code === "ENOENT") return undefined;
          throw error;
        },
      ),
    ),
  );
  return found.filter((name) => name !== undefined);
}

async function listTemplates({ terminal }: Context): Promise<void> {
  const templates = await readTemplates();
  terminal.result(templates, () =>
    terminal.table(templates, [
      { title: "TEMPLATE", cell: ({ name }) => name },
      { title: "WHAT IT IS", cell: ({ description }) => description, flexible: true },
    ]),
  );
}

/** Makes a new app in a folder from a template, and prints the path of the folder. Replaces no file unless `--force` is given. */
export async function init(given: string, options: InitOptions, context: Context): Promise<void> {
  const { terminal } = context;
  if (options.list) return listTemplates(context);
  const folder = path.resolve(context.cwd, given);
  const template = options.template ?? (await chooseTemplate(terminal));
  const own = await nameOfFolder(folder);
  const name = (options.name ?? (await chooseName(own.title, terminal))).trim();
  const fault = faultOfTitle(name);
  if (fault !== undefined) fail(`The name cannot be used. ${clean(fault)}`, { exit: "usage" });

  const files = await readFiles(template);
  const page = files.get("index.html")?.toString() ?? "";
  files.set("index.html", Buffer.from(page.replace(/<title>[^<]*/, () => `<title>${escapeHtml(name)}`)));
  files.set(
    "easel.json",
    Buffer.from(settingsText(await readSettings(template), name, firstSlug([name]) ?? own.slug)),
  );
  const names = [...files.keys()];
  const taken = await existing(folder, names);
  if (taken.length > 0 && !options.force)
    fail(`${clean(given)} has ${taken.join(", ")} already; nothing was written.`, {
      hint: "Give another folder, or --force to replace these files.",
    });

  await mkdir(folder, { recursive: true });
  await writeOwnFile(folder, SCHEMA_FILE, `${JSON.stringify(jsonSchema(), null, 2)}\n`);
  for (const [file, content] of files) {
    const target = path.join(folder, file);
    // Removes a symbolic link itself, not the file that it points to.
    if (options.force) await rm(target, { force: true });
    await writeFile(target, content, { flag: "wx" });
  }

  const place = path.relative(context.cwd, folder);
  terminal.say(`Made “${clean(name)}” from the template ${template}. Next:`);
  if (place !== "") terminal.say(`  cd ${clean(place)}`);
  terminal.say("  easel dev       open it, and reload it on every save");
  terminal.say("  easel deploy    publish it");
  terminal.result({ folder, template, title: name, files: names.sort() }, () => `${clean(folder)}\n`);
}
