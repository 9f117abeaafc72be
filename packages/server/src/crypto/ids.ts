import { hash, randomBytes, randomUUID } from "node:crypto";

/** The millisecond of the latest id, and how many there were of it before. */
let latest = 0;
let count = 0;

/** An id that sorts by the millisecond it was made in, and after every other that this process has made: a UUIDv7. */
export function newId(): string {
  const now = Date.now();
  if (now > latest) [latest, count] = [now, 0];
  else if (++count > 0xfff) [latest, count] = [latest + 1, 0];
  const time = latest.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count.toString(16).padStart(3, "0")}${randomUUID().slice(18)}`;
}

/** Whether a text can be an id of ours at all; nothing else is worth asking the database about. */
export const isId = (text: string): boolean => /^[A-Za-z0-9:-]{1,128}$/.test(text);

/** A secret that nobody guesses: 32 random bytes in base64url. */
export const newToken = (): string => randomBytes(32).toString("base64url");

/** Whether a text can be a token of ours at all; nothing else is worth asking the database about, or remembering. */
export const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** What is kept of a token: its SHA-256 in base64url. */
export const tokenHash = (token: string): string => hash("sha256", token, "base64url");
