import { ENGINES } from "../support/service.ts";
import { conforms } from "./conformance.ts";

for (const engine of ENGINES.filter(({ name }) => name === "postgres"))
  await conforms(engine, ["subdomain"], ["dev"]);
