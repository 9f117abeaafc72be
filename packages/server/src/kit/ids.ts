import { hash, randomBytes, randomUUIDv7 } from "node:crypto";

/** An id that sorts by the time it was made. */
export const newId = (): string => randomUUIDv7();

/** A secret that nobody guesses: 32 random bytes in base64url. */
export const newToken = (): string => randomBytes(32).toString("base64url");

/** What is kept of a token. */
export const tokenHash = (token: string): Buffer => hash("sha256", token, "buffer");
