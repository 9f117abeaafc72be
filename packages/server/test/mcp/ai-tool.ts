import { on, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import {
  Client,
  type ClientOptions,
  type FetchLike,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { Agent, fetch } from "undici";
import { atEnd, type Scope } from "../support/service.ts";

/** Opens the address as a person in their browser does, and answers the question. Returns the address to which the service leads back. */
export type Person = (asked: URL) => Promise<URL>;

/** How an AI tool introduces itself: with a name that it registers, or by the address of its document. */
interface Introduction {
  name?: string;
  document?: string;
}

/** What an AI tool keeps of its sign-in, in memory. The official clients of both generations take it as it is. */
export class ToolSignIn implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadataUrl?: string;
  readonly clientMetadata: OAuthClientProvider["clientMetadata"];
  /** The address that the person is to open. */
  asked: URL | null = null;
  client: StoredOAuthClientInformation | undefined;
  kept: StoredOAuthTokens | undefined;
  #verifier = "";
  #discovered: OAuthDiscoveryState | undefined;

  constructor(redirectUrl: string, { name = "Test tool", document }: Introduction = {}) {
    this.redirectUrl = redirectUrl;
    if (document !== undefined) this.clientMetadataUrl = document;
    this.clientMetadata = {
      client_name: name,
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
  }

  state(): string {
    return "the state of the tool";
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.client;
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.client = client;
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.kept;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.kept = tokens;
  }

  redirectToAuthorization(asked: URL): void {
    this.asked = asked;
  }

  /** The client compares where it began to sign in with where it goes on. */
  saveDiscoveryState(discovered: OAuthDiscoveryState): void {
    this.#discovered = discovered;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }
}

/** The revisions of the protocol that a client speaks: the newest, or those of 2025, which begin with `initialize`. */
export const ERAS = { "2026-07-28": { mode: { pin: "2026-07-28" } }, 2025: { mode: "legacy" } } as const;

/** Creates a client that speaks the newest revision, and closes it when the scope ends. */
export function newClient(scope: Scope, options: ClientOptions = {}): Client {
  const client = new Client(
    { name: "test-tool", version: "1.0.0" },
    { versionNegotiation: ERAS["2026-07-28"], ...options },
  );
  atEnd(scope, () => client.close());
  return client;
}

/** Connects a client with an access token. */
export async function connectWithToken(
  scope: Scope,
  base: string,
  token: string,
  options: ClientOptions = {},
): Promise<Client> {
  const client = newClient(scope, options);
  const authProvider = { token: async () => token };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", base), { authProvider }));
  return client;
}

const localNames = new Agent({
  connect: { lookup: (_name, _options, found) => found(null, [{ address: "127.0.0.1", family: 4 }]) },
});
after(() => localNames.close());

/** Fetches like a browser, for which all names below `localhost` are this computer. */
const fetchAsBrowser = ((url: string | URL, init: object) =>
  fetch(url, { ...init, dispatcher: localNames } as never)) as unknown as FetchLike;

/** Connects a client that knows only the address of the tools: it is refused, signs in with the help of the person, and connects again. */
export async function connectBySignIn(
  scope: Scope,
  address: string,
  signIn: ToolSignIn,
  person: Person,
  clientOptions: ClientOptions = {},
): Promise<Client> {
  const options = { authProvider: signIn, fetch: fetchAsBrowser };
  const transportOf = () => new StreamableHTTPClientTransport(new URL(address), options);
  const refused = transportOf();
  try {
    await newClient(scope, clientOptions).connect(refused);
    throw new Error("the service lets a program in that has not signed in");
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
  }
  if (signIn.asked === null) throw new Error("the client does not ask the person");
  const back = await person(signIn.asked);
  await refused.finishAuth(back.searchParams);
  const client = newClient(scope, clientOptions);
  await client.connect(transportOf());
  return client;
}

/**
 * Lets the person allow more, after a call that the service has refused because it needs a scope that the tool does not have: the client has
 * then asked for it by itself.
 */
export async function allowMore(client: Client, signIn: ToolSignIn, person: Person): Promise<void> {
  if (signIn.asked === null) throw new Error("the client does not ask the person");
  const back = await person(signIn.asked);
  await (client.transport as StreamableHTTPClientTransport).finishAuth(back.searchParams);
}

/** A loopback address to which the browser comes back from the sign-in. */
interface Listening {
  redirectUrl: string;
  /** Returns the address that the browser opens next, or has opened since the last call. */
  comesBack(): Promise<URL>;
}

/** Listens on a loopback address for the browser that comes back from the sign-in, as programs on the person's own computer do. */
export async function listenForBrowser(scope: Scope): Promise<Listening> {
  const server = createServer((request, response) => {
    const address = new URL(request.url ?? "/", `http://${request.headers.host}`);
    response
      .setHeader("content-type", "text/html")
      .end("<!doctype html><title>Back</title>You can close this page.");
    if (address.pathname === "/callback") server.emit("back", address);
  });
  const backs = on(server, "back");
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(scope, async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    redirectUrl: `http://127.0.0.1:${port}/callback`,
    comesBack: async () => ((await backs.next()).value as [URL])[0],
  };
}
