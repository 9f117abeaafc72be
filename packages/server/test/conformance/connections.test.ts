import { after } from "node:test";
import { connections } from "@easel/conformance/4.6-connections";
import { startUpstream } from "../support/upstream.ts";
import { conforms } from "./conformance.ts";

const { origin: upstream, settings } = await startUpstream({ after });
const SQLITE = { engine: "sqlite", urlMode: "path", authMode: "dev" } as const;

await conforms({ ...SQLITE, settings, upstream, suites: [connections] });
