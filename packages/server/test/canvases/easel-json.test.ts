import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { manage, type Stage, stage } from "@easel/conformance/fixture";
import { startDev } from "../support/engines.ts";
import { upload } from "../support/publish.ts";
import { zip } from "../support/zip.ts";

const KEYS = Array.from({ length: 30 }, (_, index) => `"key-${index}":1`);

/** The `easel.json` of a bundle, and the warnings about it in the response to its deploy. */
const ROWS: [text: string | null, ...warnings: string[]][] = [
  [null],
  ["{}"],
  ['{"title":"Another","slug":"another","spa":true,"capabilities":[]}'],
  ['{"polcy":{}}', "`easel.json`: `polcy` is unknown; did you mean `policy`?"],
  ['{"spa":1}', "`easel.json`: `spa` must be true or false"],
  [
    `{${KEYS}}`,
    ...KEYS.slice(0, 10).map((_, index) => `\`easel.json\`: \`key-${index}\` is unknown`),
    "`easel.json` has more faults.",
  ],
  [`{"description":"${"d".repeat(64 * 1024)}"}`, "`easel.json` is larger than 64 KiB."],
];

const { target } = await startDev({ after });

describe("the easel.json of a bundle", () => {
  let site: Stage;
  before(async () => {
    site = await stage(target);
  });

  for (const [text, ...warnings] of ROWS)
    it(`${text?.slice(0, 40) ?? "none"}: ${warnings.length} warnings, and no setting changes`, async () => {
      const { owner } = site.people;
      const read = async () => {
        const { json } = await manage(target, owner, "GET", `/api/canvases/${site.id}`);
        const { title, slug, spa, runtimePolicy, capabilities } = json;
        return { title, slug, spa, runtimePolicy, capabilities };
      };
      const asItWas = await read();
      const files = { "index.html": "home", ...(text !== null && { "easel.json": text }) };
      const { status, json } = await upload(target, owner, site.id, await zip(files));
      assert.equal(status, 200);
      assert.deepEqual(json.warnings, warnings);
      assert.deepEqual(await read(), asItWas);
    });

  it("an easel.json in a folder of the bundle has no effect", async () => {
    const files = { "index.html": "home", "examples/easel.json": "{" };
    const { json } = await upload(target, site.people.owner, site.id, await zip(files));
    assert.deepEqual(json.warnings, []);
  });
});
