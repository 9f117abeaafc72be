import type { UrlMode } from "./context.ts";
import { createEasel } from "./easel.ts";
import * as errors from "./errors.ts";
import * as guards from "./guards.ts";
import type { PageEasel } from "./window.ts";

/** The URL mode, which the service sets in a line that it puts before this script: `globalThis.easel={urlMode:"path"};`. */
const { urlMode } = (globalThis as { easel?: { urlMode?: UrlMode } }).easel ?? {};

const { invalid, text, toError, ...classes } = errors;

globalThis.easel = { ...createEasel({ urlMode }), ...classes, ...guards } satisfies PageEasel;
