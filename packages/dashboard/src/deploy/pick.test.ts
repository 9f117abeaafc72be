import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "@easel/protocol/limits";
import type { Offer } from "./offered.ts";
import { offerOfDropped, offerOfHtml, offerOfInput } from "./pick.ts";

const picked = (path: string, content = "x") =>
  Object.assign(new File([content], path.split("/").at(-1) ?? ""), { webkitRelativePath: path });

const pathsOf = (offer: Offer): string[] =>
  offer.kind === "files" ? offer.files.map(({ path }) => path) : assert.fail("no files");

/** A folder as a browser hands it over, whose entries are read in parts. */
function folder(name: string, children: FileSystemEntry[]): FileSystemEntry {
  const parts = [children.slice(0, 1), children.slice(1), []];
  const createReader = () => ({
    readEntries: (resolve: (entries: FileSystemEntry[]) => void) => resolve(parts.shift() ?? []),
  });
  return { isFile: false, isDirectory: true, name, createReader } as unknown as FileSystemEntry;
}

const file = (name: string): FileSystemEntry =>
  ({
    isFile: true,
    name,
    file: (resolve: (file: File) => void) => resolve(new File(["x"], name)),
  }) as unknown as FileSystemEntry;

test("paths are below the chosen folder, and NFC", async () => {
  const offer = await offerOfInput([
    picked("site/index.html"),
    picked("site/u\u0308ber/\u0645\u062e.txt"),
    picked("site/.env"),
  ]);
  assert.equal(offer.name, "site");
  assert.deepEqual(pathsOf(offer), ["index.html", "\u00fcber/\u0645\u062e.txt"]);
});

test("a single zip is sent as it is; several files are files", async () => {
  assert.equal(
    (await offerOfInput([Object.assign(new File(["x"], "Site.ZIP"), { webkitRelativePath: "" })])).kind,
    "zip",
  );
  const two = ["a.html", "b.zip"].map((name) =>
    Object.assign(new File(["x"], name), { webkitRelativePath: "" }),
  );
  assert.deepEqual(pathsOf(await offerOfInput(two)), ["a.html", "b.zip"]);
});

test("a dropped folder is read to its end, but not the folders that are left out", async () => {
  const hidden = { isFile: false, name: ".git", createReader: () => assert.fail("read") };
  const entries = [
    folder("site", [
      file("index.html"),
      hidden as unknown as FileSystemEntry,
      folder("a", [file("b"), file("c")]),
    ]),
  ];
  const offer = await offerOfDropped({ entries, files: [] });
  assert.equal(offer.name, "site");
  assert.deepEqual(pathsOf(offer), ["index.html", "a/b", "a/c"]);
  assert.deepEqual(offer.kind === "files" && offer.leftOut.map(({ path }) => path), [".git/"]);
});

test("more files than a canvas may have are told as soon as they are counted", async () => {
  const many = Array.from({ length: LIMITS.bundleEntries.value + 1 }, (_, index) =>
    picked(`site/${index}.txt`),
  );
  await assert.rejects(offerOfInput(many), /more than 5,000 files/);
  const hidden = many.map(({ name }) => picked(`site/.git/${name}`));
  assert.deepEqual(pathsOf(await offerOfInput(hidden)), []);
});

test("pasted HTML is the start page", () => {
  assert.deepEqual(pathsOf(offerOfHtml("<h1>Hi")), ["index.html"]);
});
