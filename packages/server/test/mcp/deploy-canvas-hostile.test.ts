import assert from "node:assert/strict";
import { before, it } from "node:test";
import { ABSENT, samples } from "@easel/conformance/corpus";
import { manage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { freshEmail, type Person } from "@easel/conformance/target";
import { type ConnectedTool, connectTool } from "../support/connected-tool.ts";
import { onSqlite } from "../support/engines.ts";
import { longestTurn } from "../support/longest-turn.ts";
import { refusedText } from "../support/refused-text.ts";

/** The maximum CPU time of one turn of the event loop, in milliseconds. */
const MAX_TURN_MS = 250;

/** The strings of the corpus of naughty strings, or null if it is absent. */
function naughtyStrings(): string[] | null {
  const file = samples("strings")?.find(({ name }) => name === "blns.json");
  return file === undefined ? null : (JSON.parse(file.bytes.toString("utf8")) as string[]);
}

await onSqlite("deploy_canvas with hostile arguments", (target, env) => {
  let person: Person;
  let agent: ConnectedTool;
  let canvas: string;
  let version: string;

  before(async () => {
    person = await target.signIn(freshEmail("agent"));
    agent = await connectTool(target.base, person, { scope: "deploy" }, env);
    const files = [
      { path: "index.html", text: "<p>one" },
      { path: "logo.png", base64: Buffer.from([0xff, 0xd8, 0xff]).toString("base64") },
      { path: "large.txt", text: "a".repeat(1024 * 1024 + 1) },
    ];
    const made = await agent.use<{ canvas: string; version: string }>("deploy_canvas", {
      title: "Hostile",
      files,
    });
    ({ canvas, version } = made);
  });

  /** Calls the tool on the canvas, which must be refused and must change nothing. Returns what the model reads. */
  const refused = async (files: object[], args: object = {}) => {
    const text = await refusedText(agent, "deploy_canvas", { canvas, files, ...args });
    const { json } = await manage(target, person, "GET", `/api/canvases/${canvas}/versions`);
    assert.deepEqual(
      (json as { versions: { id: string }[] }).versions.map(({ id }) => id),
      [version],
    );
    return text;
  };

  for (const [path, fault] of [
    ["../up.html", "does not stay inside the bundle"],
    ["a/../../up.html", "does not stay inside the bundle"],
    ["/etc/passwd", "does not stay inside the bundle"],
    ["a//b", "does not stay inside the bundle"],
    ["C:/windows", "does not stay inside the bundle"],
    ["", "does not stay inside the bundle"],
    ["a\\b", "has characters that a path cannot have"],
    ["a\0b", "has characters that a path cannot have"],
    ["a\nb", "has characters that a path cannot have"],
    ["\ud800", "has characters that a path cannot have"],
    ["x".repeat(2000), "is too long"],
    [".well-known/acme-challenge/x", "is reserved for proofs"],
    ["INDEX.html", "are the same file on some file systems"],
    ["index.html/x", "is both a file and a folder"],
  ] as const)
    it(`refuses the path ${JSON.stringify(path).slice(0, 40)}`, async () => {
      const text = await refused([{ path, text: "x" }]);
      assert.ok(text.startsWith("INVALID_BODY: ") && text.includes(fault), text);
    });

  const INDEX = { path: "index.html" };
  for (const [name, files, message] of [
    ["no change", [], "Send 1 to 250 files in one call. For a folder, use `upload_command`."],
    [
      "a change without content",
      [INDEX],
      '"index.html" needs exactly one of `text`, `edits`, `base64` and `delete`.',
    ],
    ["two contents", [{ ...INDEX, text: "", delete: true }], '"index.html" needs exactly one of'],
    [
      "the same path twice",
      [
        { ...INDEX, text: "1" },
        { ...INDEX, text: "2" },
      ],
      '"index.html" is changed twice.',
    ],
    [
      "text that is not base64",
      [{ path: "a", base64: "no!" }],
      '`base64` of "a" is not base64 with padding.',
    ],
    ["base64 without padding", [{ path: "a", base64: "YQ" }], '`base64` of "a" is not base64 with padding.'],
    ["half a surrogate pair", [{ path: "a", text: "\ud800" }], 'The text of "a" is not well-formed Unicode.'],
    [
      "half a surrogate pair in an edit",
      [{ ...INDEX, edits: [{ old: "one", new: "\udc00" }] }],
      "is not well-formed",
    ],
    ["no edits", [{ ...INDEX, edits: [] }], '"index.html" has 0 edits: send 1 to 100, or the file whole.'],
    [
      "an edit of bytes",
      [{ path: "logo.png", edits: [{ old: "a", new: "b" }] }],
      '"logo.png" is not a text file.',
    ],
    [
      "an edit of a large file",
      [{ path: "large.txt", edits: [{ old: "a", new: "b" }] }],
      "larger than 1 MiB",
    ],
    [
      "an edit that does not match",
      [{ ...INDEX, edits: [{ old: "two", new: "" }] }],
      'Edit 1 of "index.html": the `old` text does not occur.',
    ],
    [
      "a second edit that does not match",
      [
        {
          ...INDEX,
          edits: [
            { old: "one", new: "1" },
            { old: "one", new: "2" },
          ],
        },
      ],
      "Edit 2 of",
    ],
    [
      "an edit that matches twice",
      [
        { path: "b", text: "x" },
        { ...INDEX, edits: [{ old: "", new: "" }] },
      ],
      "the `old` text is empty.",
    ],
    [
      "an edit of no file",
      [{ path: "none", edits: [{ old: "a", new: "b" }] }],
      'NOT_FOUND: There is no file "none" to change.',
    ],
    [
      "a prototype",
      [{ path: "__proto__", edits: [{ old: "a", new: "b" }] }],
      'NOT_FOUND: There is no file "__proto__"',
    ],
    ["deleting no file", [{ path: "none", delete: true }], 'NOT_FOUND: There is no file "none" to change.'],
    [
      "deleting no folder",
      [{ path: "none/", delete: true }],
      'NOT_FOUND: There is no file "none/" to change.',
    ],
    [
      "deleting all files",
      ["index.html", "logo.png", "large.txt"].map((path) => ({ path, delete: true })),
      "The bundle is empty",
    ],
    ["a field that does not exist", [{ ...INDEX, content: "x" }], "INVALID_BODY: "],
    [
      "too many edits",
      [{ ...INDEX, edits: Array(101).fill({ old: "a", new: "b" }) }],
      "has 101 edits: send 1 to 100",
    ],
    [
      "too many files",
      Array.from({ length: 251 }, (_, index) => ({ path: `${index}`, text: "" })),
      "Send 1 to 250 files",
    ],
  ] as [string, object[], string][])
    it(`refuses ${name}, with the file and the reason`, async () => {
      const text = await refused(files);
      assert.ok(text.includes(message), text);
    });

  it("says that nothing was changed", async () => {
    for (const files of [
      [],
      [INDEX],
      [{ path: "none", delete: true }],
      [{ ...INDEX, edits: [{ old: "x", new: "" }] }],
    ])
      assert.match(await refused(files), /\nNothing was changed\./);
  });

  it("refuses edits that make files large, one by one and together", async () => {
    const grow = (letters: number) => [{ old: "one", new: "x".repeat(letters) }];
    assert.match(
      await refused([{ ...INDEX, edits: grow(1024 * 1024) }]),
      /would make the file larger than 1 MiB/,
    );
    const paths = Array.from({ length: 9 }, (_, index) => `${index}.html`);
    const { canvas: other } = await agent.use<{ canvas: string }>("deploy_canvas", {
      title: "Growing",
      files: paths.map((path) => ({ path, text: "x" })),
    });
    const thousand = { old: "x", new: "x".repeat(1000), all: true };
    const files = paths.map((path) => ({ path, edits: [thousand, thousand] }));
    const text = await refusedText(agent, "deploy_canvas", { canvas: other, files });
    assert.match(
      text,
      /^INVALID_BODY: The changed files have more than 8 MiB together\. Send fewer, or use `upload_command`\./,
    );
  });

  it("refuses edits that search or replace too much, and holds no turn of the event loop for them", async () => {
    const paths = Array.from({ length: 4 }, (_, index) => `${index}.txt`);
    const { canvas: other } = await agent.use<{ canvas: string }>("deploy_canvas", {
      title: "Edited",
      files: [{ ...INDEX, text: "x" }],
    });
    for (const path of paths)
      await agent.use("deploy_canvas", {
        canvas: other,
        files: [{ path, text: `${"a".repeat(1024 * 1024 - 1)}y` }],
      });
    const flips = (one: string, two: string, all: boolean) =>
      Array.from({ length: 100 }, (_, index) =>
        index % 2 === 0 ? { old: one, new: two, all } : { old: two, new: one, all },
      );
    for (const edits of [flips("a", "b", true), flips("y", "z", false)]) {
      let text = "";
      const turn = await longestTurn(async () => {
        const files = paths.map((path) => ({ path, edits }));
        text = await refusedText(agent, "deploy_canvas", { canvas: other, files });
      });
      assert.match(
        text,
        /^INVALID_BODY: This is too much work .*\nNothing was changed\. Send the file whole/,
      );
      assert.ok(turn < MAX_TURN_MS, `${turn} ms`);
    }
  });

  it("refuses versions that the canvas does not have, also those of another one", async () => {
    const other = await agent.use<{ version: string }>("deploy_canvas", {
      title: "Other",
      files: [{ path: "index.html", text: "secret" }],
    });
    for (const base of [other.version, "nothing", "../x", ""])
      assert.match(
        await refused([{ path: "a", text: "" }], { base }),
        /^NOT_FOUND: The canvas has no such version\./,
      );
    for (const expected_version of [other.version, "nothing", ""])
      assert.match(await refused([{ path: "a", text: "" }], { expected_version }), /^VERSION_CONFLICT: /);
  });

  it("needs a title for a new canvas, and takes none for an existing one", async () => {
    const files = [{ path: "index.html", text: "<p>" }];
    assert.match(
      await refusedText(agent, "deploy_canvas", { files }),
      /^INVALID_BODY: A new canvas needs a `title`\.\n.*give `canvas`/,
    );
    for (const args of [{ title: "Other" }, { slug: "other-slug" }])
      assert.match(
        await refused(files, args),
        /^INVALID_BODY: `title` and `slug` are for a new canvas\.\n.*`configure_canvas`/,
      );
    for (const title of ["", " ", "a\nb", "x".repeat(1000)])
      assert.match(await refusedText(agent, "deploy_canvas", { title, files }), /^INVALID_BODY: .*title/);
    for (const slug of ["a", "UP", "xn--a", "../x", "api"])
      assert.match(
        await refusedText(agent, "deploy_canvas", { title: "S", slug, files }),
        /^(INVALID_BODY|SLUG_TAKEN): /,
      );
  });

  const naughty = naughtyStrings();
  it("stores texts as they are, and edits them exactly", { skip: naughty === null && ABSENT }, async () => {
    const strings = (naughty ?? []).filter((text) => text !== "" && text.isWellFormed());
    const whole = strings.map((text, index) => `${index}:${text}:${index}`).join("\n");
    const edits = strings.slice(0, 100).map((text, index) => ({
      old: `${index}:${text}:${index}`,
      new: `${text}$&$1`,
    }));
    const made = await agent.use<{ canvas: string; url: string }>("deploy_canvas", {
      title: "Strings",
      files: [
        { path: "strings.txt", text: whole },
        { path: "index.html", text: "<p>" },
      ],
    });
    const contentOf = async () => {
      const path = new URL(`${made.url}strings.txt`).pathname;
      return (await send(target.base, { method: "GET", path, headers: person.headers })).text;
    };
    assert.equal(await contentOf(), whole);
    const unique = edits.filter(({ old }) => whole.indexOf(old) === whole.lastIndexOf(old));
    await agent.use("deploy_canvas", {
      canvas: made.canvas,
      files: [{ path: "strings.txt", edits: unique }],
    });
    const expected = unique.reduce(
      (text, { old, new: replacement }) => text.replace(old, () => replacement),
      whole,
    );
    assert.equal(await contentOf(), expected);
  });
});
