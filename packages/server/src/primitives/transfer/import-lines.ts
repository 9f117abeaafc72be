import type { Json } from "@easel/protocol/types";
import { Refusal } from "../../http/refusal.ts";
import type { Caller } from "../primitive.ts";
import type { Import, Transfer } from "./transfer.ts";

/** An object in a line of an import. */
export type Fields = { readonly [name: string]: Json | undefined };

/**
 * Writes one line. Returns the reason if the line is left out, such as `EXISTS`, otherwise null. A `Refusal` that it throws is the reason,
 * too.
 */
export type WriteLine = (fields: Fields) => Promise<string | null>;

/** Returns the error code of a `Refusal`. Throws any other error. */
export function codeOf(error: unknown): string {
  if (error instanceof Refusal && error.code !== undefined) return error.code;
  throw error;
}

const fieldsOf = (value: Json | undefined): Fields | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;

/**
 * Imports a file of JSON lines, a few lines at once. Checks access before each batch, and calls `prepare`, which checks the rights of the
 * caller and returns the function that writes a line. If it throws a `Refusal`, all lines of the batch are left out.
 */
export async function importLines(
  path: string,
  { part, capability }: Transfer,
  { access, archive, report }: Import,
  prepare: (caller: Caller) => Promise<WriteLine>,
): Promise<void> {
  for await (const batch of archive.lines(path)) {
    const caller = await access(capability);
    const write = await prepare(caller).catch(codeOf);
    await Promise.all(
      batch.map(async ({ number, value }) => {
        const fields = fieldsOf(value);
        const reason =
          typeof write === "string"
            ? write
            : fields === undefined
              ? "INVALID_BODY"
              : await write(fields).catch(codeOf);
        if (reason === null) report.add(part);
        else report.skip(path, reason, number);
      }),
    );
  }
}
