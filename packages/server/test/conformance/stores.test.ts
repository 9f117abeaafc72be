import { kv } from "@easel/conformance/4.3-kv";
import { submissions } from "@easel/conformance/4.9-submissions";
import { collections } from "@easel/conformance/4.10-collections";
import { conforms } from "./conformance.ts";

const suites = [kv, submissions, collections];
await conforms({ engine: "sqlite", urlMode: "path", authMode: "dev", suites, limited: suites });
