import { submissions } from "@easel/conformance/4.9-submissions";
import { conforms } from "./conformance.ts";

const suites = [submissions];
await conforms("submissions", {
  engine: "sqlite",
  urlMode: "path",
  authMode: "dev",
  suites,
  limited: suites,
});
