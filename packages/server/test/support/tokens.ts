import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";

const encoding = new Tiktoken(o200k);

/** Returns the number of tokens of a text in the encoding `o200k_base`. Models of other makers divide English and code in about as many. */
export const tokensOf = (text: string): number => encoding.encode(text).length;
