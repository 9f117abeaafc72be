import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Header, send } from "@easel/conformance/http";
import { type Client, UnauthorizedError } from "@modelcontextprotocol/client";
import { Client as FormerClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FormerTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import * as oauth from "openid-client";
import { openPage } from "../sign-in/oauth-client.ts";
import { startWithProvider } from "../sign-in/oidc-provider.ts";
import { Visitor } from "../sign-in/oidc-visitor.ts";
import { toolRequest } from "../support/connected-tool.ts";
import { atEnd, fileScope, type Scope, startService } from "../support/service.ts";
import type { TestEnv } from "../support/test-env.ts";
import { allowMore, connectBySignIn, type Person, ToolSignIn } from "./ai-tool.ts";
import { type PublishedDocument, publishDocument } from "./client-document.ts";
import { answering } from "./consent.ts";
import type { SignInMode } from "./person-in-browser.ts";

const REDIRECT_URL = "http://127.0.0.1:49155/callback";

interface Started {
  base: string;
  env: TestEnv;
  session: Header[];
}

/** Starts a service, and returns it with the session of a person. */
const STARTS: Record<SignInMode, (scope: Scope, settings: Record<string, string>) => Promise<Started>> = {
  async dev(scope, settings) {
    const { base, env } = await startService(scope, settings);
    const signedIn = await fetch(`${base}/auth/dev/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: "ada@acme.test" }),
    });
    return { base, env, session: [["Cookie", signedIn.headers.get("set-cookie")?.split(";")[0] ?? ""]] };
  },
  async oidc(scope, settings) {
    const { base, env } = await startWithProvider(scope, { settings });
    const visitor = new Visitor();
    await visitor.signIn(base, "ada@acme.test");
    return { base, env, session: [["Cookie", `easel_session=${visitor.cookie(base, "easel_session")}`]] };
  },
};

/** Connects the official client of the former generation by signing in. */
async function connectFormer(
  scope: Scope,
  address: string,
  signIn: ToolSignIn,
  person: Person,
): Promise<Client> {
  const transportOf = () => new FormerTransport(new URL(address), { authProvider: signIn as never });
  const clientOf = () => new FormerClient({ name: "test-tool", version: "1.0.0" });
  const refused = transportOf();
  await assert.rejects(clientOf().connect(refused as never), /Unauthorized/);
  const back = await person(signIn.asked ?? assert.fail("the client does not ask"));
  await refused.finishAuth(back.searchParams.get("code") ?? "");
  const client = clientOf();
  await client.connect(transportOf() as never);
  atEnd(scope, () => client.close());
  return client as never as Client;
}

const CONNECTS = { "client 2": connectBySignIn, "client 1": connectFormer };

for (const mode of ["dev", "oidc"] as const)
  describe(`signing in to /mcp, where people sign in by ${mode}`, () => {
    const scope = fileScope();
    let base: string;
    let session: Header[];
    let document: PublishedDocument;
    before(async () => {
      document = await publishDocument(scope, "Acme tool", REDIRECT_URL);
      const started = await STARTS[mode](scope, document.settings);
      await document.letFind(started.env);
      ({ base, session } = started);
    });

    for (const [name, connect] of Object.entries(CONNECTS))
      describe(name, () => {
        it("registers itself, asks the person, and gets in", async (t) => {
          const signIn = new ToolSignIn(REDIRECT_URL);
          const client = await connect(t, `${base}/mcp`, signIn, answering(session, "allow"));
          const asked = signIn.asked?.searchParams;
          assert.equal(asked?.get("resource"), `${base}/mcp`);
          assert.equal(asked?.get("scope"), "deploy");
          assert.match(signIn.kept?.access_token ?? "", /^easel_mcp_/);
          assert.equal(signIn.kept?.token_type.toLowerCase(), "bearer");
          const { tools } = await client.listTools();
          assert.ok(tools.some((tool) => tool.name === "list_canvases"));
        });

        it("introduces itself by its document, and gets in", async (t) => {
          const signIn = new ToolSignIn(REDIRECT_URL, { document: document.url });
          const client = await connect(t, `${base}/mcp`, signIn, async (asked) => {
            assert.equal(asked.searchParams.get("client_id"), document.url);
            const { text } = await openPage(asked, session);
            assert.match(text, /Acme tool/);
            assert.ok(text.includes(new URL(document.url).host), text);
            return answering(session, "allow")(asked);
          });
          assert.ok((await client.listTools()).tools.length > 0);
        });

        it("renews its token by itself when it has ended", async (t) => {
          const signIn = new ToolSignIn(REDIRECT_URL);
          const client = await connect(t, `${base}/mcp`, signIn, answering(session, "allow"));
          const first = signIn.kept ?? assert.fail();
          signIn.asked = null;
          signIn.kept = { ...first, access_token: `${first.access_token}x` };
          await client.listTools();
          assert.equal(signIn.asked, null, "the person is not asked again");
          assert.notEqual(signIn.kept?.access_token, first.access_token);
          assert.notEqual(signIn.kept?.refresh_token, first.refresh_token);
          await client.listTools();
        });

        it("learns that the person has said no", async (t) => {
          const signIn = new ToolSignIn(REDIRECT_URL);
          await assert.rejects(
            connect(t, `${base}/mcp`, signIn, async (asked) => {
              const back = await answering(session, "deny")(asked);
              assert.equal(back.searchParams.get("error"), "access_denied");
              return back;
            }),
          );
          assert.equal(signIn.kept, undefined);
        });
      });

    const share = (client: Client) =>
      client.callTool({ name: "share_canvas", arguments: { canvas: "none", listed: false } });

    it("client 2 asks for more when a tool needs it", async (t) => {
      const signIn = new ToolSignIn(REDIRECT_URL);
      const client = await connectBySignIn(t, `${base}/mcp`, signIn, answering(session, "allow"));
      await assert.rejects(share(client), UnauthorizedError);
      assert.match(signIn.asked?.searchParams.get("scope") ?? "", /\bfull\b/);
      await allowMore(client, signIn, answering(session, "allow", { scope: "full" }));
      assert.match(JSON.stringify(await share(client)), /NOT_FOUND/);
    });

    it("client 1, which cannot ask for more, gets what to do as an answer, and everything if the person allows it at first", async (t) => {
      const signIn = new ToolSignIn(REDIRECT_URL);
      const client = await connectFormer(t, `${base}/mcp`, signIn, answering(session, "allow"));
      assert.match(JSON.stringify(await share(client)), /PERMISSION_DENIED: .*connect again and allow more/);
      const all = answering(session, "allow", { scope: "full" });
      const other = await connectFormer(t, `${base}/mcp`, new ToolSignIn(REDIRECT_URL), all);
      assert.match(JSON.stringify(await share(other)), /NOT_FOUND/);
    });

    it("openid-client registers, signs in, renews and ends its access", async () => {
      const insecure = { algorithm: "oauth2" as const, execute: [oauth.allowInsecureRequests] };
      const metadata = {
        client_name: "Any client",
        redirect_uris: [REDIRECT_URL],
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token"],
      };
      const config = await oauth.dynamicClientRegistration(new URL(base), metadata, oauth.None(), insecure);
      const verifier = oauth.randomPKCECodeVerifier();
      const state = oauth.randomState();
      const asked = oauth.buildAuthorizationUrl(config, {
        redirect_uri: REDIRECT_URL,
        scope: "read",
        resource: `${base}/mcp`,
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
      const back = await answering(session, "allow")(asked);
      // It checks `iss` and `state`.
      const checks = { pkceCodeVerifier: verifier, expectedState: state };
      const resource = { resource: `${base}/mcp` };
      const first = await oauth.authorizationCodeGrant(config, back, checks, resource);
      assert.equal(await listStatus(base, first.access_token), 200);
      const second = await oauth.refreshTokenGrant(config, first.refresh_token ?? "", resource);
      assert.equal(await listStatus(base, second.access_token), 200);
      await oauth.tokenRevocation(config, second.refresh_token ?? "");
      assert.equal(await listStatus(base, second.access_token), 401);
    });
  });

/** Lists the tools with a token; returns the status. */
async function listStatus(base: string, token: string): Promise<number> {
  const { headers, body } = toolRequest("tools/list");
  const all: Header[] = [...headers, ["Authorization", `Bearer ${token}`]];
  return (await send(base, { method: "POST", path: "/mcp", headers: all, body })).status;
}
