import type { Metadata } from "./form.ts";

const SHARE = { title: "A share" };

/**
 * Invalid values of the form part `metadata`. Both the POST that publishes a new canvas and the PUT that updates it respond with an error.
 */
export const INVALID: [name: string, metadata: Metadata][] = [
  ["metadata that is empty", ""],
  ["metadata that is no JSON", "title=A share"],
  ["metadata that is cut off", '{"title":"A share"'],
  ["metadata null", "null"],
  ["metadata that is a list", '[{"title":"A share"}]'],
  ["metadata that is a text", '"A share"'],
  [
    "metadata nested too deeply",
    `{"title":"A share","metadata":{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}}`,
  ],
  ["metadata with a number that is not finite", '{"title":"A share","metadata":{"a":1e400}}'],
  ["title null", { title: null }],
  ["title empty", { title: "" }],
  ["title of 201 characters", { title: "x".repeat(201) }],
  ["title that is a number", { title: 1 }],
  ["21 tags", { title: "A share", tags: Array.from({ length: 21 }, (_, index) => `${index}`) }],
  ["an empty tag", { ...SHARE, tags: [""] }],
  ["a tag of 65 characters", { ...SHARE, tags: ["x".repeat(65)] }],
  ["a tag that is a number", { ...SHARE, tags: [1] }],
  ["tags that are a text", { ...SHARE, tags: "a,b" }],
  ["access unknown", { ...SHARE, access: "everyone" }],
  ["access restricted, which is an accessMode", { ...SHARE, access: "restricted" }],
  ["access null", { ...SHARE, access: null }],
  ["a password for access password that is null", { ...SHARE, access: "password", password: null }],
  ["password empty", { ...SHARE, password: "" }],
  ["password of 201 characters", { ...SHARE, password: "p".repeat(201) }],
  ["password that is a number", { ...SHARE, password: 1234 }],
  ["expiresAt in the past", { ...SHARE, expiresAt: Date.now() - 1 }],
  ["expiresAt zero", { ...SHARE, expiresAt: 0 }],
  ["expiresAt that is a date in text", { ...SHARE, expiresAt: "2999-01-01" }],
  ["expiresAt with a fraction", { ...SHARE, expiresAt: Date.now() + 1e6 + 0.5 }],
  ["metadata that is a list inside", { ...SHARE, metadata: [] }],
  ["metadata that is a text inside", { ...SHARE, metadata: "source" }],
  ["metadata over 16 KiB", { ...SHARE, metadata: { text: "x".repeat(16 * 1024 - 10) } }],
  ["metadata of 1 MiB", { ...SHARE, metadata: { text: "x".repeat(1024 * 1024) } }],
  ["metadata over 16 KiB in UTF-8", { ...SHARE, metadata: { text: "é".repeat(8 * 1024) } }],
];
