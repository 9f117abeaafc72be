import { importGroup } from "../support/import-tests.ts";

await importGroup("examples-a-to-d");
