import { ENGINES } from "../support/service.ts";
import { conforms } from "./conformance.ts";

for (const engine of ENGINES.filter(({ name }) => name === "sqlite"))
  await conforms(engine, ["path", "subdomain"], ["dev", "proxy"]);
