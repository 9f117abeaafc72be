import { lifecycle } from "@easel/conformance/3-lifecycle";
import { serving } from "@easel/conformance/serving";
import { conforms } from "./conformance.ts";

await conforms(
  "serving",
  { engine: "sqlite", urlMode: "path", authMode: "dev", suites: [lifecycle, serving] },
  { engine: "sqlite", urlMode: "subdomain", authMode: "dev", suites: [serving] },
);
