import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = process.env.CORPORA ?? join(import.meta.dirname, "../../../../shared/corpora");

/** One file of a corpus of test inputs. */
export interface Sample {
  name: string;
  bytes: Buffer;
}

/** Returns the files of one folder of the test corpora, or null if the folder is missing. `CORPORA` names the folder of all corpora. */
export function samples(folder: string): Sample[] | null {
  const path = join(FOLDER, folder);
  if (!existsSync(path)) return null;
  return readdirSync(path)
    .sort()
    .map((name) => ({ name, bytes: readFileSync(join(path, name)) }));
}

/** Whether this machine has the folder with the test corpora, which are files of unusual JSON and strings. */
export const hasCorpora = existsSync(FOLDER);

/** The reason to skip a test that needs a corpus. */
export const ABSENT = `no corpora at ${FOLDER}; CORPORA names another folder`;
