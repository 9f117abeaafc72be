import type { UrlMode } from "./context.ts";
import * as sdk from "./index.ts";

declare global {
  /** The global that `/sdk/v1.js` defines: the primitives and the error classes. */
  var easel: sdk.Easel & Omit<typeof sdk, "createEasel">;
}

const { createEasel, ...errors } = sdk;

/** The URL mode, which the service sets in a line that it puts before this script: `globalThis.easel={urlMode:"path"};`. */
const { urlMode } = (globalThis as { easel?: { urlMode?: UrlMode } }).easel ?? {};

globalThis.easel = { ...createEasel(undefined, undefined, undefined, urlMode), ...errors };
