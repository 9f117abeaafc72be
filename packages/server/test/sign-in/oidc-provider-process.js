import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import Provider from "oidc-provider";

/*
 * The process of an OpenID Connect provider that accepts every account. It listens on a free loopback port, sends the issuer to its parent,
 * and serves requests once the parent has sent the client: `{ client_id, redirect_uris, … }`. With `{ remove }`, the address of an account, it
 * removes the account, and ends its sessions at all clients by back-channel logout.
 */

const removed = new Set();
/** The sessions at the client: the id of each, and the address of its account. */
const sessions = [];

/**
 * Returns the claims of the account with this address. `unverified…` is an address that is not verified, `nameless…` is one without a name.
 */
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
  const provider = new Provider(issuer, {
    clients: [client],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid: "one", use: "sig" }] },
    cookies: { keys: [randomBytes(32).toString("hex")] },
    pkce: { required: () => true },
    claims: { email: ["email", "email_verified"], profile: ["name"] },
    findAccount: (_context, email) =>
      removed.has(email) ? undefined : { accountId: email, claims: () => claimsOf(email) },
    features: { backchannelLogout: { enabled: true } },
    // Its own agent refuses to call services on this machine.
    fetch: (url, { dispatcher: _, ...options }) => fetch(url, options),
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
  });
  provider.on("authorization.success", ({ oidc: { session, client } }) =>
    sessions.push({ email: session.accountId, sid: session.sidFor(client.clientId) }),
  );
  return provider;
}

/** Removes an account, and tells the client that its sessions have ended. */
async function remove(provider, clientId, email) {
  removed.add(email);
  const client = await provider.Client.find(clientId);
  for (const session of sessions.filter((each) => each.email === email))
    await client.backchannelLogout(email, session.sid);
}

let answer = (_request, response) => response.writeHead(503).end();
const server = createServer((request, response) => answer(request, response));
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://localhost:${server.address().port}`;
  let provider;
  let clientId;
  process.on("message", async (message) => {
    if (message.remove === undefined) {
      provider = providerOf(issuer, message);
      clientId = message.client_id;
      answer = provider.callback();
    } else await remove(provider, clientId, message.remove);
    process.send("ready");
  });
  process.on("disconnect", () => process.exit());
  process.send(issuer);
});
