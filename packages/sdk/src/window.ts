import type { Easel } from "./easel.ts";
import type * as sdk from "./index.ts";

/** The names of the error classes and the type guards. */
type ErrorName = Extract<keyof typeof sdk, `${string}Error` | `is${string}`>;

/** The global that the script `/sdk/v1.js` defines: the parts of the SDK, the error classes and the type guards. */
export type PageEasel = Easel & Pick<typeof sdk, ErrorName>;

declare global {
  /** The SDK for the canvas of the page, if the page has loaded `/sdk/v1.js`. */
  var easel: PageEasel;
}
