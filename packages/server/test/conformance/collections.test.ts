import { collections } from "@easel/conformance/4.10-collections";
import { conforms } from "./conformance.ts";

const suites = [collections];
await conforms("collections", {
  engine: "sqlite",
  urlMode: "path",
  authMode: "dev",
  suites,
  limited: suites,
});
