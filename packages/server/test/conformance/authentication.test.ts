import { authentication } from "@easel/conformance/5-authentication";
import { conforms } from "./conformance.ts";

const suites = [authentication];
await conforms("authentication", {
  engine: "sqlite",
  urlMode: "path",
  authMode: "dev",
  suites,
  limited: suites,
});
