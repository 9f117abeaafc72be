import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { assetPath } from "../../config/assets.ts";
import type { Schema } from "./db.ts";

interface Migration {
  name: string;
  text: string;
  hash: string;
}

/** The directory of the migrations. Those in a folder with the name of an engine are for that engine only. */
export const MIGRATIONS = assetPath("migrations");

/** Reads the migrations of the directories in the order of their names. A name occurs in one directory only. */
async function read(directories: string[]): Promise<Migration[]> {
  const migrations: Migration[] = [];
  for (const directory of directories) {
    for (const name of existsSync(directory) ? await readdir(directory) : []) {
      if (!name.endsWith(".sql")) continue;
      const text = await readFile(path.join(directory, name), "utf8");
      migrations.push({ name, text, hash: createHash("sha256").update(text).digest("hex") });
    }
  }
  return migrations.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * Applies all new migrations, those for every engine and those for the engine of `schema`, in one transaction, on one node at a time. Throws if the directory lacks a migration that was applied to the
 * database earlier, or if the text of such a migration has changed.
 */
export async function migrate(schema: Schema, directory = MIGRATIONS): Promise<void> {
  const migrations = await read([directory, path.join(directory, schema.engine)]);
  await schema.exclusively(async (tables) => {
    await tables.exec(
      "create table if not exists migrations (name text primary key, hash text not null, applied_at bigint not null)",
    );
    const applied = await tables.all<{ name: string; hash: string }>`
      select name, hash from migrations order by name`;
    for (const { name, hash } of applied) {
      const known = migrations.find((migration) => migration.name === name);
      if (known === undefined)
        throw new Error(`The database has migration ${name}, which this version does not know`);
      if (known.hash !== hash) throw new Error(`Migration ${name} was applied with another text`);
    }
    for (const { name, text, hash } of migrations) {
      if (applied.some((migration) => migration.name === name)) continue;
      await tables.exec(text);
      await tables.run`insert into migrations (name, hash, applied_at) values (${name}, ${hash}, ${Date.now()})`;
    }
  });
}
