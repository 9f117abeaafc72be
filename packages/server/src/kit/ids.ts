import { hash, randomBytes, randomUUIDv7 } from "node:crypto";

/** An id that sorts by the time it was made. */
export const newId = (): string => randomUUIDv7();

/** A secret that nobody guesses: 32 random bytes in base64url. */
export const newToken = (): string => randomBytes(32).toString("base64url");

/** What is kept of a token: its SHA-256 in base64url. */
export const tokenHash = (token: string): string => hash("sha256", token, "base64url");
