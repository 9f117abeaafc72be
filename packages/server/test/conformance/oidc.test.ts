import { after, describe } from "node:test";
import { identity } from "@easel/conformance/4.2-identity";
import { account } from "@easel/conformance/4.11-adjacent";
import { hosts } from "@easel/conformance/authentication/hosts";
import { invitations } from "@easel/conformance/authentication/invitations";
import { principals } from "@easel/conformance/authentication/principals";
import { sessions } from "@easel/conformance/authentication/sessions";
import { tokens } from "@easel/conformance/authentication/tokens";
import { type Header, send } from "@easel/conformance/http";
import { cors } from "@easel/conformance/pipeline/cors";
import { gateway } from "@easel/conformance/pipeline/gateway";
import { upgrade } from "@easel/conformance/realtime/upgrade";
import { visitors } from "@easel/conformance/realtime/visitors";
import { oidcTarget, type Person, type Target } from "@easel/conformance/target";
import { startWithProvider } from "../sign-in/oidc-provider.ts";
import { Visitor } from "../sign-in/oidc-visitor.ts";

/** Suites that depend on the sign-in mode. In subdomain mode: those that depend on the URL mode as well. */
const SUITES = {
  path: [gateway, identity, principals, invitations, tokens, sessions, account, upgrade, visitors],
  subdomain: [gateway, cors, principals, hosts],
};

const targets: Target[] = [];
for (const urlMode of ["path", "subdomain"] as const) {
  const settings = {
    SERVICE_URL_MODE: urlMode,
    SERVICE_ADMIN_EMAILS: "dev@example.com",
    SERVICE_REALTIME_PUBLISHES_PER_MIN: "1000000000",
  };
  const { base } = await startWithProvider({ after }, { hostname: "easel.localhost", settings });
  targets.push(oidcTarget(base, urlMode, (email) => signIn(base, email)));
}
for (const target of targets) {
  describe(`canvases by ${target.urlMode}, sign-in: oidc`, () => {
    for (const suite of SUITES[target.urlMode]) suite(target);
  });
}

/** Signs a person in at the OpenID Connect provider, which also supplies the person's name. */
async function signIn(base: string, email: string): Promise<Person> {
  const visitor = new Visitor();
  await visitor.signIn(base, email);
  const headers: Header[] = [["Cookie", `easel_session=${visitor.cookie(base, "easel_session")}`]];
  const { json } = await send(base, { method: "GET", path: "/api/me", headers });
  return { email, name: String(json.name), headers };
}
