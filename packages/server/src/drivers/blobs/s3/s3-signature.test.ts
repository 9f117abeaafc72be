import assert from "node:assert/strict";
import { hash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { AwsV4Signer } from "aws4fetch";
import { EMPTY_HASH, encodeQuery, type Signable, Signature } from "./s3-signature.ts";

const EXAMPLE = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};

/** The examples of the reference of the S3 API, "Authenticating Requests: Using the Authorization Header". */
const PUBLISHED: [what: string, request: Signable, signature: string][] = [
  [
    "a range of an object",
    { method: "GET", path: "/test.txt", query: "", headers: { range: "bytes=0-9" }, payload: EMPTY_HASH },
    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  ],
  [
    "a write",
    {
      method: "PUT",
      path: "/test%24file.text",
      query: "",
      headers: { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
      payload: hash("sha256", "Welcome to Amazon S3."),
    },
    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  ],
  [
    "a query without a value",
    { method: "GET", path: "/", query: "lifecycle=", headers: {}, payload: EMPTY_HASH },
    "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
  ],
  [
    "a list",
    { method: "GET", path: "/", query: "max-keys=2&prefix=J", headers: {}, payload: EMPTY_HASH },
    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  ],
];

for (const [what, request, expected] of PUBLISHED) {
  test(`the signature is that of the published example: ${what}`, () => {
    const signature = new Signature("examplebucket.s3.amazonaws.com", "us-east-1");
    const { authorization } = signature.sign(request, EXAMPLE, Date.UTC(2013, 4, 24));
    assert.equal(authorization?.split("Signature=")[1], expected);
  });
}

test("200 requests get the signature of a second implementation, also after the day, the key or the token has changed", async () => {
  const text = () => randomBytes(6).toString("base64url");
  const signature = new Signature("s3.example.com:9000", "garage");
  for (let each = 0; each < 200; each++) {
    const keys = {
      accessKeyId: "AKID",
      secretAccessKey: each % 3 === 0 ? "one secret" : "another secret",
      ...(each % 5 === 0 && { sessionToken: text() }),
    };
    const query = `continuation-token=${encodeQuery(`${text()}=+/ !'()*~é`)}&list-type=2&prefix=${encodeQuery(`${text()}/`)}`;
    const at = Date.UTC(2026, 10, 1 + (each % 40), 12, 0, each % 60, each);
    const request: Signable = {
      method: ["GET", "PUT", "DELETE"][each % 3] ?? "",
      path: `/bucket/${text()}/${text()}.~_-`,
      query: each % 2 === 0 ? query : "",
      headers:
        each % 4 === 0 ? { "if-match": `"${text()}"`, range: "bytes=1-2" } : { "x-amz-copy-source": text() },
      payload: hash("sha256", text()),
    };
    const signed = signature.sign(request, keys, at);
    const signer = new AwsV4Signer({
      ...keys,
      method: request.method,
      url: `http://s3.example.com:9000${request.path}${request.query === "" ? "" : "?"}${request.query}`,
      headers: { ...request.headers, "x-amz-content-sha256": request.payload },
      service: "s3",
      region: "garage",
      datetime: String(signed["x-amz-date"]),
      allHeaders: true,
    });
    assert.equal(signed.authorization, await signer.authHeader());
  }
});
