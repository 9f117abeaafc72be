import { conforms } from "./conformance.ts";
import { ENGINES } from "./support.ts";

for (const engine of ENGINES.filter(({ name }) => name === "postgres"))
  await conforms(engine, ["subdomain"], ["dev"]);
