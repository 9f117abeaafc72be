import { importGroup } from "../support/import-tests.ts";

await importGroup("browser-of-cli");
