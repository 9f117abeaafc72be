import { files } from "@easel/conformance/4.4-files";
import { conforms } from "./conformance.ts";

const suites = [files];
await conforms("files", { engine: "sqlite", urlMode: "path", authMode: "dev", suites, limited: suites });
