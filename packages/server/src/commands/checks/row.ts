/** What a check has found: one row of the output of `easel-server check`. `message` says what to change unless it is ok. */
export interface Row {
  name: string;
  state: "ok" | "warning" | "failed";
  message: string;
}

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
    const { message, code, cause } = error as Error & { code?: string };
    const why = [message || code, (cause as Error | undefined)?.message].filter(Boolean).join(": ");
    return [{ name, state: "failed", message: [why.replace(/\.$/, ""), remedy].filter(Boolean).join(". ") }];
  }
}
