import { pipeline } from "@easel/conformance/4.1-pipeline";
import { adjacent } from "@easel/conformance/4.11-adjacent";
import { conforms } from "./conformance.ts";

const suites = [pipeline, adjacent];
await conforms("pipeline", { engine: "sqlite", urlMode: "path", authMode: "dev", suites, limited: suites });
