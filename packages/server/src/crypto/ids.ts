import { hash, randomBytes, randomUUID } from "node:crypto";

/** The millisecond of the latest id, and the number of ids made in it before. */
let latest = 0;
let count = 0;

/** Creates a UUIDv7, which sorts by the millisecond of its creation and after all others of this process. */
export function newId(): string {
  const now = Date.now();
  if (now > latest) [latest, count] = [now, 0];
  else if (++count > 0xfff) [latest, count] = [latest + 1, 0];
  const time = latest.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count.toString(16).padStart(3, "0")}${randomUUID().slice(18)}`;
}

/** Whether a text has the form of an id. Others need no query of the database. */
export const isId = (text: string): boolean => /^[A-Za-z0-9:-]{1,128}$/.test(text);

/** Creates a secret token: 32 random bytes in base64url. */
export const newToken = (): string => randomBytes(32).toString("base64url");

/** Whether a text has the form of a token. Others need no query of the database and are not cached. */
export const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** Returns the SHA-256 of a token in base64url. Only that is stored. */
export const tokenHash = (token: string): string => hash("sha256", token, "base64url");
