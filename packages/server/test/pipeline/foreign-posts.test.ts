import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Stage, stage } from "@easel/conformance/fixture";
import { type Header, send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { tokenOf } from "@easel/conformance/token";
import { FORM, JSON_TYPE } from "../support/client.ts";
import { startDev } from "../support/engines.ts";

const BOUNDARY = "of-a-foreign-page";
const FILE = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--${BOUNDARY}--\r\n`;
const MULTIPART: Header = ["Content-Type", `multipart/form-data; boundary=${BOUNDARY}`];
const FOREIGN: Header = ["Origin", "https://evil.example"];

const { target } = await startDev({ after });

describe("a POST with a foreign origin, from a browser without Sec-Fetch-Site, in path mode", () => {
  let canvas: Stage;
  before(async () => {
    canvas = await stage(target);
  });

  const post = (path: string, headers: Header[], body: string) =>
    send(target.base, { method: "POST", path: `/v1/c/${canvas.slug}${path}`, headers, body });
  const files = async () => {
    const { owner } = canvas.people;
    const path = `/v1/c/${canvas.slug}/files`;
    const { json } = await send(target.base, { method: "GET", path, headers: owner.headers });
    return (json.files as unknown[]).length;
  };

  const REFUSED: [name: string, path: string, headers: Header[], body: string][] = [
    ["a file", "/files", [MULTIPART, FOREIGN], FILE],
    ["a file of a page without an origin", "/files", [MULTIPART, ["Origin", "null"]], FILE],
    ["a form", "/files", [FORM, FOREIGN], "a=b"],
    ["a text", "/page-errors", [["Content-Type", "text/plain"], FOREIGN], '{"errors":[]}'],
    ["a body without a type", "/page-errors", [FOREIGN], '{"errors":[]}'],
  ];
  for (const [name, path, headers, body] of REFUSED)
    it(`${name} is refused`, async () => {
      const before = await files();
      const answer = await post(path, [...canvas.people.owner.headers, ...headers], body);
      refused(answer, 403, "CROSS_SITE_FORBIDDEN");
      assert.equal(await files(), before);
    });

  const TAKEN: [name: string, headers: () => Promise<Header[]>][] = [
    ["its own origin", async () => [...canvas.people.owner.headers, ["Origin", target.base]]],
    ["no origin, as programs", async () => canvas.people.owner.headers],
    [
      "an access token, which no page has",
      async () => [...(await tokenOf(target, canvas.people.owner)).headers, FOREIGN],
    ],
  ];
  for (const [name, headers] of TAKEN)
    it(`a file with ${name} is stored`, async () => {
      const before = await files();
      const answer = await post("/files", [...(await headers()), MULTIPART], FILE);
      assert.equal(answer.status, 201, answer.text);
      assert.equal(await files(), before + 1);
    });

  it("JSON passes, which browsers send to another origin only if that allows it", async () => {
    const path = `/v1/c/${canvas.slug}/kv/a`;
    const headers = [...canvas.people.owner.headers, JSON_TYPE, FOREIGN];
    assert.equal((await send(target.base, { method: "PUT", path, headers, body: "1" })).status, 200);
  });
});
