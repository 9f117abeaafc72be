import { readFileSync } from "node:fs";

/**
 * Returns the text of a template file, in which `{{name}}` is replaced by what the function of this name in `inserts` returns. Throws an
 * error if there is no such function.
 */
export const fillTemplate = (file: string, inserts: Record<string, () => string>): string =>
  readFileSync(file, "utf8").replace(/\{\{(\w+)\}\}/g, (_all, name: string) => {
    const print = inserts[name];
    if (print === undefined) throw new Error(`${file} inserts ${name}, which does not exist`);
    return print();
  });
