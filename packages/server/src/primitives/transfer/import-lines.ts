import type { Json } from "@easel/protocol/types";
import { Refusal } from "../../http/refusal.ts";
import type { GatedCaller } from "../primitive.ts";
import type { Import, Transfer } from "./transfer.ts";

/** The object in a line of an import. */
export type Fields = { readonly [name: string]: Json | undefined };

/**
 * Imports one line. Returns null, or the reason if the line is left out, such as `EXISTS`. If it throws a `Refusal`, the error code of the
 * `Refusal` is the reason.
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
 * Imports a file of JSON lines in batches. For each batch, checks access and calls `prepare`, which checks the rights of the caller and
 * returns the function that imports a line. If one of them throws a `Refusal`, the batch is left out.
 */
export async function importLines(
  path: string,
  { part, capability }: Transfer,
  { access, archive, report }: Import,
  prepare: (caller: GatedCaller) => Promise<WriteLine>,
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
