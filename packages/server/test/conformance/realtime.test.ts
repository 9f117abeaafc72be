import { realtime } from "@easel/conformance/4.7-realtime";
import { events } from "@easel/conformance/6-events";
import { conforms } from "./conformance.ts";

const suites = [realtime, events];
await conforms("realtime", { engine: "sqlite", urlMode: "path", authMode: "dev", suites, limited: suites });
