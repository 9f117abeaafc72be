import assert from "node:assert/strict";
import { test } from "node:test";
import { createEasel, QuotaExceededError } from "../src/index.ts";
import { type Call, fakeFetch, page } from "./support.ts";

function answered(body: unknown, status = 200) {
  const { fetch, calls } = fakeFetch(() => Response.json(body, { status }));
  return { ...createEasel({ ...page, fetch }), calls };
}

/** Returns the form of the only request that was sent. */
function sentForm(calls: Call[]): FormData {
  assert.equal(calls.length, 1);
  const body = calls[0]?.init.body;
  assert.ok(body instanceof FormData);
  return body;
}

const UPLOADED = { id: "f-1", name: "tea.png", size: 3, url: "/v1/c/tea/files/f-1/content" };

const invalid = { name: "EaselError", code: "INVALID_BODY", status: 400 };

test("each call sends one request of the contract", async () => {
  const record = { id: "f-1", name: "tea.png" };
  const { files, calls } = answered({ ...record, files: [record] });
  assert.deepEqual(await files.list(), [record]);
  await files.list({ group: "a b", cursor: "c/1", limit: 2 });
  await files.list({ collection: "ideas", recordId: "r-1", cursor: null });
  assert.equal((await files.rename("f-1", "cup.png")).id, "f-1");
  assert.equal(await files.delete("f/1"), undefined);
  assert.deepEqual(
    calls.map(({ path, init }) => [init.method, path, init.body]),
    [
      ["GET", "/files", undefined],
      ["GET", "/files?group=a+b&cursor=c%2F1&limit=2", undefined],
      ["GET", "/files?collection=ideas&recordId=r-1", undefined],
      ["PATCH", "/files/f-1", '{"name":"cup.png"}'],
      ["DELETE", "/files/f%2F1", undefined],
    ],
  );
});

test("`upload` sends the fields before the file, and resolves with an absolute URL", async () => {
  const { files, calls } = answered(UPLOADED, 201);
  const photo = new File(["tea"], "tea.png", { type: "image/png" });
  const uploaded = await files.upload(photo, { collection: "ideas", recordId: "r-1" });
  assert.deepEqual(uploaded, { ...UPLOADED, url: `https://easel.example${UPLOADED.url}` });
  assert.deepEqual([calls[0]?.init.method, calls[0]?.path], ["POST", "/files"]);
  const form = sentForm(calls);
  assert.deepEqual([...form.keys()], ["collection", "recordId", "file"]);
  assert.deepEqual([form.get("collection"), form.get("recordId")], ["ideas", "r-1"]);
});

test("the name and type of an upload follow its content and `name`", async () => {
  const png = { type: "image/png" };
  const bytes = new Uint8Array([1, 2, 3, 4]);
  const rows = [
    [new File(["a"], "tea.png", png), "tea.png", "image/png", "a"],
    [new File(["a"], ""), "upload", "", "a"],
    [new Blob(["a"], png), "upload", "image/png", "a"],
    [bytes.buffer, "upload", "", "\u0001\u0002\u0003\u0004"],
    [bytes.subarray(1, 3), "upload", "", "\u0002\u0003"],
    [new DataView(bytes.buffer, 3), "upload", "", "\u0004"],
    ["Tée", "upload", "text/plain", "Tée"],
    ["", "upload", "text/plain", ""],
  ] as const;
  for (const [content, name, type, text] of rows)
    for (const given of [undefined, "", "ä.txt"]) {
      const { files, calls } = answered(UPLOADED, 201);
      await files.upload(content, given === undefined ? {} : { name: given });
      const file = sentForm(calls).get("file") as File;
      assert.deepEqual([file.name, file.type, await file.text()], [given || name, type, text]);
    }
});

test("`url` returns an absolute URL at once, in both URL modes", () => {
  const { fetch, calls } = fakeFetch(() => assert.fail("nothing is to be sent"));
  const hosts = { url: "https://tea.easel.example/" };
  for (const location of [page, hosts])
    assert.equal(
      createEasel({ ...location, fetch }).files.url("f/1"),
      "https://easel.example/v1/c/tea/files/f%2F1/content",
    );
  assert.deepEqual(calls, []);
});

test("a list with a limit has the cursor of the next page, and compares like an array", async () => {
  const record = { id: "f-1" };
  for (const [given, nextCursor] of [
    [{ nextCursor: "shared/f-1" }, "shared/f-1"],
    [{ nextCursor: null }, null],
    [{}, null],
  ] as const) {
    const files = await answered({ files: [record], ...given }).files.list({ limit: 1 });
    assert.deepEqual([files, files.nextCursor], [[record], nextCursor]);
  }
});

test("errors of uploads are those of every other call", async () => {
  const rows = [
    [413, "FILE_TOO_LARGE"],
    [409, "QUOTA_EXCEEDED"],
  ] as const;
  for (const [status, code] of rows) {
    const { files, calls } = answered({ code }, status);
    await assert.rejects(files.upload("a"), (error) => {
      assert.ok(error instanceof QuotaExceededError);
      assert.deepEqual([error.status, error.code], [status, code]);
      return true;
    });
    assert.equal(calls.length, 1);
  }
});

test("invalid arguments are refused before anything is sent", async () => {
  const { files, calls } = answered({});
  for (const content of [undefined, null, 1, {}, [1]] as unknown as string[])
    await assert.rejects(files.upload(content), invalid);
  await assert.rejects(files.upload("a", { onProgress: "no" as unknown as () => void }), invalid);
  for (const id of ["", ".", "..", undefined as unknown as string]) {
    assert.throws(() => files.url(id), invalid);
    await assert.rejects(files.rename(id, "a"), invalid);
    await assert.rejects(files.delete(id), invalid);
  }
  assert.deepEqual(calls, []);
});
