import { randomBytes } from "node:crypto";
import type { HasHeaders } from "./request-headers.ts";

/** Matches `traceparent` of version 00, and the beginning of that of later versions (W3C Trace Context, 3.2). */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[\x21-\x7e]{0,200})?$/;

const isZero = (hex: string) => /^0+$/.test(hex);

/** The trace to which the sender of a request says that it belongs. */
export interface Trace {
  id: string;
  flags: string;
}

/**
 * Returns the trace of a request by its header `traceparent`, or null if there is none or it is malformed. Only its form is checked: anybody can name
 * any trace, so it decides nothing.
 */
export function traceOf({ headers }: HasHeaders): Trace | null {
  // Node joins the values of a repeated header by commas, which do not match.
  const { traceparent } = headers;
  if (typeof traceparent !== "string") return null;
  const [, version = "", id = "", parent = "", flags = "", rest] = TRACEPARENT.exec(traceparent) ?? [];
  if (id === "" || version === "ff" || (version === "00" && rest !== undefined)) return null;
  return isZero(id) || isZero(parent) ? null : { id, flags };
}

/** Returns the header `traceparent` of a request that this service sends within a trace: it has a new span, and of the flags only `sampled`. */
export function childTraceparent({ id, flags }: Trace): string {
  const sampled = Number.parseInt(flags, 16) & 1;
  return `00-${id}-${randomBytes(8).toString("hex")}-0${sampled}`;
}
