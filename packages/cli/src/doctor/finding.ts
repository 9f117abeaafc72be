import { Failure } from "../exit.ts";

/** The result of a check. `advice` says what to do about a warning or a fault. */
export interface Finding {
  check: string;
  status: "ok" | "warning" | "fault";
  message: string;
  advice?: string;
}

/** Creates a finding with the status that the function is named after. */
export const ok = (check: string, message: string): Finding => ({ check, status: "ok", message });
export const warning = (check: string, message: string, advice: string): Finding => ({
  check,
  status: "warning",
  message,
  advice,
});
export const fault = (check: string, message: string, advice: string): Finding => ({
  check,
  status: "fault",
  message,
  advice,
});

/** Converts a `Failure` of a check to a fault, with its hint as the advice if it has one. Throws any other error again. */
export function faultOf(check: string, error: unknown, advice = ""): Finding {
  if (!(error instanceof Failure)) throw error;
  return fault(check, error.message, error.hint ?? advice);
}
