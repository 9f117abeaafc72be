import { identity } from "@easel/conformance/4.2-identity";
import { adjacent } from "@easel/conformance/4.11-adjacent";
import { authentication } from "@easel/conformance/5-authentication";
import { resolve } from "@easel/conformance/pipeline/resolve";
import { visitors } from "@easel/conformance/pipeline/visitors";
import { live } from "@easel/conformance/realtime/live";
import { conforms } from "./conformance.ts";

/* What reads and writes who may enter; the ladder and the frames do not depend on the engine. */
await conforms({
  engine: "postgres",
  urlMode: "subdomain",
  authMode: "dev",
  suites: [resolve, visitors, identity, adjacent, authentication, live],
});
