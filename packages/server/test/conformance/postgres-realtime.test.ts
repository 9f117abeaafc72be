import { realtime } from "@easel/conformance/4.7-realtime";
import { events } from "@easel/conformance/6-events";
import { conforms } from "./conformance.ts";

await conforms([{ engine: "postgres", urlMode: "subdomain", authMode: "dev" }], [realtime, events]);
