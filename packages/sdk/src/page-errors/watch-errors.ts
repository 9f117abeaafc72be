import type { PAGE_ERROR_CODES } from "@easel/protocol/management";

/** An error of the page, as the browser tells it. What it does not tell is undefined, empty or 0. URLs are absolute. */
export interface FoundError {
  code: (typeof PAGE_ERROR_CODES)[number];
  text: string;
  /** The URL of what did not load or was blocked, or a keyword such as `inline`. */
  subject?: string | undefined;
  /** The URL of the script in which it happened, and the line and column there, from 1. */
  source?: string;
  line?: number;
  column?: number;
}

/** Returns the first place in the stack of an error that is not in the script of the SDK. Every browser has a format of its own. */
function placeOf(stack: unknown): Pick<FoundError, "source" | "line" | "column"> {
  for (const frame of String(stack).match(/https?:\/\/\S+/g) ?? []) {
    const parts = frame.split(":");
    const column = Number.parseInt(parts.pop() ?? "", 10);
    const line = Number.parseInt(parts.pop() ?? "", 10);
    if (line > 0 && column > 0 && !frame.includes("/sdk/v1.js"))
      return { source: parts.join(":"), line, column };
  }
  return {};
}

/**
 * Calls `found` with each error of the page from now on: script errors, unhandled rejections, elements whose file does not load, and what the
 * content security policy blocks. Returns a function that ends this. An error that cannot be read, or for which `found` throws, is left out:
 * it would be an error of the page again.
 */
export function watchErrors(found: (error: FoundError) => void): () => void {
  const controller = new AbortController();
  const watch = <Type extends keyof WindowEventMap>(
    type: Type,
    errorOf: (event: WindowEventMap[Type]) => FoundError,
  ) =>
    addEventListener(
      type,
      (event) => {
        try {
          found(errorOf(event));
        } catch {
          // A page can throw objects without a text, and replace whatever this uses.
        }
      },
      // Only the capture phase has the errors of elements.
      { capture: true, signal: controller.signal },
    );

  watch("error", ({ target, message, filename, lineno, colno }) => {
    if (!(target instanceof Element))
      return { code: "SCRIPT_ERROR", text: message, source: filename, line: lineno, column: colno };
    // Elements name what they load in different ways, and those of SVG by objects.
    const { localName, currentSrc, src, href, data } = target as Element & Record<string, unknown>;
    const subject = [currentSrc, src, href, data].find((each) => each && typeof each === "string") as string;
    return { code: "LOAD_FAILED", text: `<${localName}> did not load`, subject };
  });
  watch("unhandledrejection", ({ reason }) => ({
    code: "SCRIPT_ERROR",
    text: `Unhandled rejection: ${reason}`,
    ...placeOf(reason?.stack),
  }));
  watch("securitypolicyviolation", (event) => ({
    code: "CSP_VIOLATION",
    text: `The content security policy (${event.effectiveDirective}) blocks this`,
    subject: event.blockedURI,
    source: event.sourceFile,
    line: event.lineNumber,
    column: event.columnNumber,
  }));
  return () => controller.abort();
}
