import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import Provider from "oidc-provider";

/*
 * An OpenID Connect provider that believes everyone. It listens on a free loopback port, tells its parent the issuer, and
 * answers once the parent has named the client: `{ client_id, redirect_uris, … }`.
 */

/** The claims of an account, which is called by its address: `unverified…` is not verified, `nameless…` has no name. */
function claimsOf(email) {
  const local = email.split("@", 1)[0];
  return {
    sub: `account of ${email}`,
    email,
    email_verified: !local.startsWith("unverified"),
    ...(local.startsWith("nameless") ? {} : { name: `Name of ${local}` }),
  };
}

/** @param {string} issuer @param {Record<string, unknown>} client */
function providerOf(issuer, client) {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return new Provider(issuer, {
    clients: [client],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid: "one", use: "sig" }] },
    cookies: { keys: [randomBytes(32).toString("hex")] },
    pkce: { required: () => true },
    claims: { email: ["email", "email_verified"], profile: ["name"] },
    findAccount: (_context, email) => ({ accountId: email, claims: () => claimsOf(email) }),
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
  }).callback();
}

let answer = (_request, response) => response.writeHead(503).end();
const server = createServer((request, response) => answer(request, response));
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://localhost:${server.address().port}`;
  process.on("message", (client) => {
    answer = providerOf(issuer, client);
    process.send("ready");
  });
  process.on("disconnect", () => process.exit());
  process.send(issuer);
});
