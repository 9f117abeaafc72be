import fc from "fast-check";

/** Generates any code point but surrogates. The unit `binary` of fast-check does so too, but takes a second to set up. */
export const codePoint: fc.Arbitrary<string> = fc
  .nat(0x10_f7_ff)
  .map((number) => String.fromCodePoint(number < 0xd8_00 ? number : number + 0x8_00));
