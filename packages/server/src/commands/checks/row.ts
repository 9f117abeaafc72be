import { DATABASE_ADVICE } from "../database-advice.ts";

/** What a check has found: one row of the output of `easel-server check`. `message` says what to change unless it is ok. */
export interface Row {
  name: string;
  state: "ok" | "warning" | "failed";
  message: string;
}

type Coded = Error & { code?: string };

/** Runs a check. An error that it throws is a failure, with `remedy` after its message. */
export async function rowsOf(
  name: string,
  check: () => Promise<Row[] | string>,
  remedy = "",
): Promise<Row[]> {
  try {
    const found = await check();
    return typeof found === "string" ? [{ name, state: "ok", message: found }] : found;
  } catch (error) {
    const { message, code, cause } = error as Coded & { cause?: Coded };
    const advice = DATABASE_ADVICE[cause?.code ?? code ?? ""];
    if (advice !== undefined)
      return [{ name, state: "failed", message: `${cause?.message ?? message}: ${advice}` }];
    const why = [message || code, cause?.message].filter(Boolean).join(": ");
    return [{ name, state: "failed", message: [why.replace(/\.$/, ""), remedy].filter(Boolean).join(". ") }];
  }
}
