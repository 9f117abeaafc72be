import { manage } from "@easel/conformance/fixture";
import type { Person, Target } from "@easel/conformance/target";
import { store } from "./version-files.ts";

/** A file name that is HTML. */
export const HOSTILE = `<img src=x onerror="document.title='run'">.txt`;
/** Returns a GIF of one pixel. */
const pixel = (red: number, green: number, blue: number): Buffer => {
  const gif = Buffer.from("R0lGODlhAQABAIAAAP8AAP///ywAAAAAAQABAAACAkQBADs=", "base64");
  gif.set([red, green, blue], 13);
  return gif;
};
const style = (colour: string) =>
  Array.from({ length: 50 }, (_, line) =>
    line === 25 ? `h1 { color: ${colour}; }\n` : `.c${line} { margin: 0 }\n`,
  ).join("");

const FIRST = {
  "index.html": "<h1>first</h1>\n",
  "style.css": style("red"),
  "logo.gif": pixel(255, 0, 0),
  "old/script.js": "console.log('the same');\n",
  "data.bin": Buffer.from([0, 1, 2]),
  "gone.txt": "gone\n",
};
const SECOND = {
  "index.html": "<h1>second</h1>\n",
  "style.css": style("green"),
  "logo.gif": pixel(0, 0, 255),
  "new/script.js": "console.log('the same');\n",
  "data.bin": Buffer.from([0, 1, 2, 3]),
  [HOSTILE]: "<script>document.title='run'</script> \u202e\n",
};

/** Makes a canvas with two versions that were published, "First" and "Second". Returns the ids of all three. */
export async function makeTwoVersions(target: Target, person: Person, title: string) {
  const id = String((await manage(target, person, "POST", "/api/canvases", { title })).json.id);
  const first = await store(target, person, id, FIRST, { message: "First" });
  const second = await store(target, person, id, SECOND, { message: "Second" });
  return { id, first, second };
}
