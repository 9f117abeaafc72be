import assert from "node:assert/strict";
import { test } from "node:test";
import { isCommonPassword } from "./common-passwords.ts";

const COMMON = [
  ...[
    "password",
    "Password1",
    "P@ssw0rd",
    "passw0rd!",
    "PASSWORD2026",
    "password123!",
    "123456789",
    "87654321",
    "11111111",
  ],
  ...[
    "qwertyuiop",
    "qwertz123",
    "1q2w3e4r",
    "zaq12wsx",
    "1qaz2wsx",
    "abcd1234",
    "asdfghjkl",
    "iloveyou",
    "ILoveYou2",
  ],
  ...[
    "welcome1",
    "summer2026!",
    "letmein!",
    "trustno1",
    "superman",
    "football7",
    "aaaaaaaa",
    "abcabcabc",
    "testtest",
  ],
  ...["pass-word", "let me in", "changeme", "1234567890", "00000000", "12341234", "dragon99", "!!!!!!!!"],
];
const RARE = [
  ...[
    "open, sesame",
    "correct horse battery",
    "tea at four",
    "welcome to the garden party",
    "k9#vTq2w",
    "summerhouse door",
  ],
  ...[
    "blue-kettle-42",
    "password of the month club",
    "mein Passwort",
    "日本語のパスワード",
    "a password",
    "4f9c02be",
    " ".repeat(8),
    "p".repeat(200),
  ],
];

for (const password of COMMON) {
  test(`${password} is common`, () => assert.equal(isCommonPassword(password), true));
}
for (const password of RARE)
  test(`${password} is not common`, () => assert.equal(isCommonPassword(password), false));
