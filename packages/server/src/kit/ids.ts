import { hash, randomBytes, randomUUIDv7 } from "node:crypto";

/** An id that sorts by the millisecond it was made in. */
export const newId = (): string => randomUUIDv7();

/** Whether a text can be an id of ours at all; nothing else is worth asking the database about. */
export const isId = (text: string): boolean => /^[A-Za-z0-9:-]{1,128}$/.test(text);

/** A secret that nobody guesses: 32 random bytes in base64url. */
export const newToken = (): string => randomBytes(32).toString("base64url");

/** Whether a text can be a token of ours at all; nothing else is worth asking the database about, or remembering. */
export const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** What is kept of a token: its SHA-256 in base64url. */
export const tokenHash = (token: string): string => hash("sha256", token, "base64url");
