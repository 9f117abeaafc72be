/** The maximum length of a report in characters. */
const MAX_LENGTH = 1_000;

const OWN = "/__easel_dev/";

const textOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

/** Reports script errors of the page and violations of its content security policy. Returns a function that stops the reports. */
export function reportErrors(report: (text: string) => void): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const say = (text: string) => report(text.slice(0, MAX_LENGTH));

  addEventListener(
    "error",
    ({ filename, lineno, message }) => {
      if (filename.includes(OWN)) return;
      const at = filename === "" ? "" : ` (${new URL(filename, location.href).pathname}:${lineno})`;
      say(message + at);
    },
    { signal },
  );
  addEventListener("unhandledrejection", ({ reason }) => say(`unhandled rejection: ${textOf(reason)}`), {
    signal,
  });
  addEventListener(
    "securitypolicyviolation",
    ({ blockedURI, effectiveDirective }) => {
      if (!blockedURI.includes(OWN))
        say(`the content security policy (${effectiveDirective}) blocks ${blockedURI}`);
    },
    { signal },
  );
  return () => controller.abort();
}
