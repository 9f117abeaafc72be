import { pages } from "@easel/conformance/submissions/pages";
import { routes } from "@easel/conformance/submissions/routes";
import { onPostgres } from "./conformance.ts";

await onPostgres("submissions", routes, pages);
