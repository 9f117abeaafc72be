import { importGroup } from "../support/import-tests.ts";

await importGroup("crash");
