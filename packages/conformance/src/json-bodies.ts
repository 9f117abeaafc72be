import { LIMITS } from "@easel/protocol/limits";

const MAX = LIMITS.valueBytes.value;
const DEPTH = LIMITS.jsonDepth.value;

/**
 * Each row has a name for the test and a well-formed JSON body of at most 64 KiB. A service that stores the body must return the value that
 * `JSON.parse` makes of it.
 */
export const WELL_FORMED: [name: string, body: string][] = [
  ["true", "true"],
  ["false", "false"],
  ["zero", "0"],
  ["minus zero", "-0"],
  ["a negative number", "-17"],
  ["a fraction", "1.5"],
  ["an exponent", "1.5e-7"],
  ["the largest number", "1.7976931348623157e308"],
  ["the smallest number", "5e-324"],
  ["a number that rounds to zero", "1e-400"],
  ["more digits than a double has", "12345678901234567890.123456789"],
  ["an empty string", '""'],
  ["text", '"a text"'],
  ["text that looks like JSON", '"{\\"a\\":1}"'],
  ["the string null", '"null"'],
  ["an escaped NUL", '"a\\u0000b"'],
  ["a lone high surrogate", '"\\ud800"'],
  ["a lone low surrogate", '"\\udc00x"'],
  ["surrogates the wrong way round", '"\\udc00\\ud800"'],
  ["a lone surrogate as a name", '{"\\ud800":1}'],
  ["an emoji as it is", '"👩‍🚀"'],
  ["an emoji as escapes", '"\\ud83d\\ude00"'],
  ["line separators", '"\u2028\u2029"'],
  ["a BOM inside a string", '"\ufeff"'],
  ["noncharacters", '"\uffff\u{10ffff}"'],
  ["an empty array", "[]"],
  ["an array with null", "[null]"],
  ["an empty object", "{}"],
  ["an object with null", '{"a":null}'],
  ["nested", '{"a":[1,{"b":[[],{}]}],"c":"d"}'],
  ["an empty name", '{"":1}'],
  ["duplicate names", '{"a":1,"b":2,"a":3}'],
  ["names like numbers", '{"2":"two","1":"one","01":"x"}'],
  ["__proto__", '{"__proto__":{"polluted":true}}'],
  ["__proto__ inside", '[{"a":{"__proto__":null}}]'],
  ["constructor.prototype", '{"constructor":{"prototype":{"polluted":true}}}'],
  ["an entry of its own kind", '{"key":"k","value":null,"toJSON":1}'],
  ["white space around", ' \t\r\n {"a" : [ 1 , 2 ] } \n'],
  [`${DEPTH} arrays deep`, "[".repeat(DEPTH) + "]".repeat(DEPTH)],
  [`${DEPTH} objects deep`, `${'{"a":'.repeat(DEPTH - 1)}{}${"}".repeat(DEPTH - 1)}`],
  ["brackets in a string", JSON.stringify("[{".repeat(DEPTH))],
  ["many siblings", `[${"[],".repeat(DEPTH * 2)}[]]`],
  ["exactly 65,536 bytes", quoted("a", MAX)],
  ["65,536 bytes of two-byte characters", quoted("é", MAX)],
  ["65,536 bytes of emoji", quoted("😀", MAX)],
  ["65,536 bytes of numbers", `[${"1,".repeat(MAX / 2 - 2)}10]`],
];

/**
 * Each row has a name for the test and a body that the service must refuse: malformed JSON, JSON that is nested too deeply, or a number
 * that no double can hold.
 */
export const MALFORMED: [name: string, body: string | Buffer][] = [
  ["nothing", ""],
  ["white space", " \n"],
  ["half a word", "nul"],
  ["a word of another language", "undefined"],
  ["NaN", "NaN"],
  ["Infinity", "-Infinity"],
  ["an open object", "{"],
  ["an open string", '"a'],
  ["a comma too many", "[1,]"],
  ["single quotes", "'a'"],
  ["a comment", "1 // one"],
  ["two values", "1 2"],
  ["a leading zero", "01"],
  ["a raw control character", '"\u0001"'],
  ["a NUL after the value", "1\0"],
  ["a form", "a=1&b=2"],
  ["1e400, which no double holds", "1e400"],
  ["-1e400", "-1e400"],
  ["1e400 inside", '{"a":[1,1e400]}'],
  ["400 digits", "9".repeat(400)],
  ["a byte that is not UTF-8", Buffer.from([0x22, 0xff, 0x22])],
  ["a character cut short", Buffer.from([0x22, 0xe2, 0x82, 0x22])],
  ["an overlong slash", Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
  ["a surrogate in UTF-8", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ["beyond the last code point", Buffer.from([0x22, 0xf4, 0x90, 0x80, 0x80, 0x22])],
  ["Latin-1", Buffer.from('"é"', "latin1")],
  ["UTF-16", Buffer.from('"a"', "utf16le")],
  [`${DEPTH + 1} arrays deep`, "[".repeat(DEPTH + 1) + "]".repeat(DEPTH + 1)],
  [`${DEPTH + 1} objects deep`, `${'{"a":'.repeat(DEPTH)}{}${"}".repeat(DEPTH)}`],
  ["arrays and objects, one too deep", `${'[{"a":'.repeat(DEPTH / 2)}[]${"}]".repeat(DEPTH / 2)}`],
  ["30,000 arrays deep", "[".repeat(30_000) + "]".repeat(30_000)],
];

/**
 * Each row has a name for the test and a well-formed JSON body. This short list is for routes that use the JSON parser of the key-value
 * store, which `WELL_FORMED` tests more thoroughly.
 */
export const SMOKE_WELL_FORMED: [name: string, body: string][] = [
  ["a number that is no integer", "-0.1"],
  ["nested", '{"a":[1,{"b":[[],{}]}],"c":"d"}'],
  ["__proto__", '{"__proto__":{"polluted":true}}'],
  ["NUL and control characters", '"a\\u0000b\\u001f"'],
  ["a lone high surrogate", '"\\ud800"'],
  ["a lone surrogate and NUL as names", '{"\\ud800":1,"\\u0000":"\\u0000"}'],
  ["as deep as JSON may be", "[".repeat(DEPTH) + "]".repeat(DEPTH)],
  ["exactly 65,536 bytes", quoted("é", MAX)],
];

/**
 * Each row has a name for the test and a body that the service must refuse. This short list is for routes that use the JSON parser of the
 * key-value store, which `MALFORMED` tests more thoroughly.
 */
export const SMOKE_MALFORMED: [name: string, body: string | Buffer][] = [
  ["nothing", ""],
  ["an open object", "{"],
  ["two values", "1 2"],
  ["a byte-order mark in UTF-16", Buffer.from('\ufeff"a"', "utf16le")],
  ["a surrogate in UTF-8", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ["1e400 inside, which no double holds", '{"a":[1,1e400]}'],
  ["one level too deep", "[".repeat(DEPTH + 1) + "]".repeat(DEPTH + 1)],
];

/** Returns a JSON string of exactly `bytes` bytes, quotes included: `character` repeated, then ASCII letters up to the exact size. */
export function quoted(character: string, bytes: number): string {
  const room = bytes - 2;
  const width = Buffer.byteLength(character);
  return `"${character.repeat(Math.floor(room / width))}${"a".repeat(room % width)}"`;
}
