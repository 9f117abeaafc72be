import { identity } from "@easel/conformance/4.2-identity";
import { people } from "@easel/conformance/4.2-people";
import { conforms } from "./conformance.ts";

const suites = [identity, people];
await conforms("people", { engine: "sqlite", urlMode: "path", authMode: "dev", suites, limited: suites });
