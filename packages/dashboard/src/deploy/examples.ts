import { TEMPLATES, type TemplateName } from "../../../cli/src/init/template-names.ts";
import type { Offer } from "./offered.ts";

/** The files of the templates of `easel init`, each a chunk of its own that is loaded when somebody chooses the example. */
const FILES = import.meta.glob<string>(
  [
    "../../../cli/templates/minimal/*",
    "../../../../examples/{guestbook,counter,survey,board,cursors,photo-wall,assistant}/*",
    "!**/README.md",
  ],
  { query: "?raw", import: "default" },
);

/** The names of the examples, the simplest first, with what each shows. */
export const EXAMPLES: Record<TemplateName, string> = {
  minimal: "Greets the viewer and counts their visits",
  guestbook: "A book that everyone signs",
  counter: "Buttons that count for everyone at once",
  survey: "A question, and results that everyone sees",
  board: "Cards that a group moves between columns",
  cursors: "Everyone sees where the others point",
  "photo-wall": "Pictures that everyone adds",
  assistant: "A chat with an AI model",
};

/** Reads the files of an example. */
export async function offerOfExample(name: TemplateName): Promise<Offer> {
  const found = Object.entries(FILES).filter(([path]) => path.split("/").at(-2) === name);
  const files = await Promise.all(
    found.map(async ([path, load]) => {
      const file = new Blob([await load()]);
      return { path: path.split("/").at(-1) ?? "", size: file.size, file };
    }),
  );
  return { kind: "files", name, files, leftOut: [] };
}

export { TEMPLATES };
