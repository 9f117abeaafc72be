import { importGroup } from "../support/import-tests.ts";

await importGroup("examples-e-to-z");
