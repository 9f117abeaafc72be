import { setFlagsFromString } from "node:v8";

/**
 * Makes V8 allocate all objects as young ones (decision 139). Called after the start: V8 compiles stored code again if it was stored under other
 * flags. The code of Node is stored without this flag, and so is that of the service, at the exit.
 */
export function allocateYoung(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
  process.once("exit", () => setFlagsFromString("--allocation-site-pretenuring"));
}
