import { hash, randomBytes, randomUUID } from "node:crypto";

/** The timestamp in the latest id, in epoch milliseconds. */
let latest = 0;
/** The number of ids before the latest one that have the same timestamp. */
let count = 0;

/** Creates a UUIDv7. Ids sort by the millisecond of their creation, and each id sorts after all earlier ids of the same process. */
export function newId(): string {
  const now = Date.now();
  if (now > latest) [latest, count] = [now, 0];
  else if (++count > 0xfff) [latest, count] = [latest + 1, 0];
  const time = latest.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count.toString(16).padStart(3, "0")}${randomUUID().slice(18)}`;
}

/** The first three groups of a UUIDv7, which contain the time of its creation. */
const TIME = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}(?=-[0-9a-f]{4}-[0-9a-f]{12}$)/;

/** Whether a text is an id that `newId` or `copiedId` can have made. */
export const isUuidV7 = (text: string): boolean => TIME.test(text);

/**
 * Returns the id of a copy of the thing with the id `original`. It sorts like `original`, and is the same for the same `original` and
 * `context`, such as the canvas that the copy belongs to. Returns a new id if `original` is not a UUIDv7.
 */
export function copiedId(original: string, context: readonly string[]): string {
  const [time] = TIME.exec(original) ?? [];
  if (time === undefined) return newId();
  const digest = hash("sha256", JSON.stringify([original, ...context]), "hex");
  return `${time}-8${digest.slice(0, 3)}-${digest.slice(3, 15)}`;
}

/** Whether a text has the form of an id. A text without this form need not be looked up in the database. */
export const isId = (text: string): boolean => /^[A-Za-z0-9:-]{1,128}$/.test(text);

/** Creates a secret token: 32 random bytes in base64url. */
export const newToken = (): string => randomBytes(32).toString("base64url");

/** Whether a text has the form of a token. A text without this form is not looked up in the database, and no result is cached for it. */
export const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** Returns the SHA-256 hash of a token in base64url, which is stored instead of the token. */
export const tokenHash = (token: string): string => hash("sha256", token, "base64url");
