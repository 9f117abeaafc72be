import { after } from "node:test";
import { lifecycle } from "@easel/conformance/3-lifecycle";
import { publishes } from "@easel/conformance/authoring/publish";
import { revocations } from "@easel/conformance/authoring/revoke";
import { updates } from "@easel/conformance/authoring/update";
import { attachments } from "@easel/conformance/files/attachments";
import { content } from "@easel/conformance/files/content";
import { losses } from "@easel/conformance/files/losses";
import { quotas } from "@easel/conformance/files/quotas";
import { ranges } from "@easel/conformance/files/ranges";
import { routes } from "@easel/conformance/files/routes";
import { uploads } from "@easel/conformance/files/uploads";
import { content as pages } from "@easel/conformance/serving/content";
import { S3_VARIABLES, startS3 } from "../support/s3-server.ts";
import { conforms } from "./conformance.ts";

/*
 * The suites in which bytes are stored, read or removed, with blobs on S3. Each service has a prefix of its own. Left out are the suites about
 * names, roles and switches, which are checked before any blob.
 */
const server = await startS3({ after });
const on = (prefix: string) => ({
  engine: "sqlite" as const,
  urlMode: "path" as const,
  authMode: "dev" as const,
  settings: {
    SERVICE_BLOBS_URL: server.url(prefix),
    ...S3_VARIABLES,
    SERVICE_AUTHORING: "on",
    SERVICE_AUTHORING_USER_DAILY_MAX: "1000",
  },
});

await conforms(
  "blobs on S3",
  { ...on("files"), suites: [routes, uploads, losses, quotas, attachments, content, ranges] },
  { ...on("pages"), suites: [lifecycle, pages, publishes, updates, revocations] },
);
