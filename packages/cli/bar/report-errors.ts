import { watchErrors } from "../../sdk/src/page-errors/watch-errors.ts";

/** The maximum length of a report in characters. */
const MAX_LENGTH = 1_000;

const OWN = "/__easel_dev/";

/** Reports the errors of the page that are not of `easel dev` itself, as the SDK finds them. Returns a function that stops the reports. */
export const reportErrors = (report: (text: string) => void): (() => void) =>
  watchErrors(({ text, subject = "", source = "", line }) => {
    if (subject.includes(OWN) || source.includes(OWN)) return;
    const at = source === "" ? "" : ` (${new URL(source, location.href).pathname}:${line})`;
    report(`${text}${subject === "" ? "" : `: ${subject}`}${at}`.slice(0, MAX_LENGTH));
  });
