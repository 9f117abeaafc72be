import { kv } from "@easel/conformance/4.3-kv";
import { conforms } from "./conformance.ts";

const suites = [kv];
await conforms("kv", { engine: "sqlite", urlMode: "path", authMode: "dev", suites, limited: suites });
