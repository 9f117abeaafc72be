import type { Json } from "@easel/protocol/types";
import { Refusal } from "../../http/refusal.ts";
import type { RuntimeCaller } from "../primitive.ts";
import type { Import, Transfer } from "./transfer.ts";

/** The object in a line of an import. */
export type Fields = { readonly [name: string]: Json | undefined };

/** Imports one line by performing an operation. If it throws a `Refusal`, the line is left out, with the error code as the reason. */
type WriteLine = (caller: RuntimeCaller, fields: Fields) => Promise<unknown>;

/** Returns the error code of a `Refusal`. Throws any other error. */
export function codeOf(error: unknown): string {
  if (error instanceof Refusal && error.code !== undefined) return error.code;
  throw error;
}

const fieldsOf = (value: Json | undefined): Fields | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;

/**
 * Imports a file of JSON lines in batches. Checks access before each batch. The operations that `write` performs check the rights of the
 * caller for each line.
 */
export async function importLines(
  path: string,
  { part, capability }: Transfer,
  { access, archive, report }: Import,
  write: WriteLine,
): Promise<void> {
  for await (const batch of archive.lines(path)) {
    const caller = await access(capability);
    await Promise.all(
      batch.map(async ({ number, value }) => {
        const fields = fieldsOf(value);
        const reason =
          fields === undefined ? "INVALID_BODY" : await write(caller, fields).then(() => null, codeOf);
        if (reason === null) report.add(part);
        else report.skip(path, reason, number);
      }),
    );
  }
}
