import * as sdk from "./index.ts";

declare global {
  /** What `/sdk/v1.js` leaves on the page: the primitives and the error classes. */
  var easel: sdk.Easel & Omit<typeof sdk, "createEasel">;
}

const { createEasel, ...errors } = sdk;

globalThis.easel = { ...createEasel(), ...errors };
