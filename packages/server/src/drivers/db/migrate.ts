import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { assetPath } from "../../config/assets.ts";
import type { Schema } from "./db.ts";

interface Migration {
  name: string;
  text: string;
  hash: string;
}

/** The directory of the migrations. */
export const MIGRATIONS = assetPath("migrations");

async function read(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".sql")).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(path.join(directory, name), "utf8");
      return { name, text, hash: createHash("sha256").update(text).digest("hex") };
    }),
  );
}

/**
 * Applies all new migrations in one transaction, on one node at a time. Throws if the directory lacks a migration that was applied to the
 * database earlier, or if the text of such a migration has changed.
 */
export async function migrate(schema: Schema, directory = MIGRATIONS): Promise<void> {
  const migrations = await read(directory);
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
