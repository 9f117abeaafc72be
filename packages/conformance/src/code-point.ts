import fc from "fast-check";

/** Generates any Unicode code point except surrogates. The unit `binary` of fast-check generates the same, but takes a second to set up. */
export const codePoint: fc.Arbitrary<string> = fc
  .nat(0x10_f7_ff)
  .map((number) => String.fromCodePoint(number < 0xd8_00 ? number : number + 0x8_00));
