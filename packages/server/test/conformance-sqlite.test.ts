import { conforms } from "./conformance.ts";
import { ENGINES } from "./support.ts";

for (const engine of ENGINES.filter(({ name }) => name === "sqlite"))
  await conforms(engine, ["path", "subdomain"], ["dev", "proxy"]);
