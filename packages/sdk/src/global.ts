import type { UrlMode } from "./context.ts";
import * as sdk from "./index.ts";

declare global {
  /** What `/sdk/v1.js` leaves on the page: the primitives and the error classes. */
  var easel: sdk.Easel & Omit<typeof sdk, "createEasel">;
}

const { createEasel, ...errors } = sdk;

/** The service sends a line in front of this script: `globalThis.easel={urlMode:"path"};`. */
const { urlMode } = (globalThis as { easel?: { urlMode?: UrlMode } }).easel ?? {};

globalThis.easel = { ...createEasel(undefined, undefined, undefined, urlMode), ...errors };
