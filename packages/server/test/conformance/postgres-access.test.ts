import { identity } from "@easel/conformance/4.2-identity";
import { account } from "@easel/conformance/4.11-adjacent";
import { hosts } from "@easel/conformance/authentication/hosts";
import { invitations } from "@easel/conformance/authentication/invitations";
import { principals } from "@easel/conformance/authentication/principals";
import { revocation } from "@easel/conformance/authentication/revocation";
import { sessions } from "@easel/conformance/authentication/sessions";
import { tokens } from "@easel/conformance/authentication/tokens";
import { sources as people } from "@easel/conformance/people/sources";
import { resolve } from "@easel/conformance/pipeline/resolve";
import { visitors } from "@easel/conformance/pipeline/visitors";
import { live } from "@easel/conformance/realtime/live";
import { conforms } from "./conformance.ts";

/*
 * Runs the suites about access whose outcome depends on rows of the database. Passwords, the order of refusals and realtime frames do not
 * depend on the engine.
 */
await conforms("postgres-access", {
  engine: "postgres",
  urlMode: "subdomain",
  authMode: "dev",
  suites: [
    ...[resolve, visitors, identity, people, account, live],
    ...[principals, hosts, invitations, tokens, sessions, revocation],
  ],
});
