import { attachments } from "@easel/conformance/files/attachments";
import { lists } from "@easel/conformance/files/lists";
import { quotas } from "@easel/conformance/files/quotas";
import { routes } from "@easel/conformance/files/routes";
import { onPostgres } from "./conformance.ts";

await onPostgres("files", routes, lists, attachments, quotas);
