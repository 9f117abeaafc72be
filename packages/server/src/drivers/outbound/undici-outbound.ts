import { isIP } from "node:net";
import { Agent, Pool } from "undici";
import { type AddressRules, checkedLookup, type Resolve, resolveChecked } from "./checked-lookup.ts";
import {
  DestinationBlocked,
  type Outbound,
  type OutboundRequest,
  type OutboundResponse,
  UpstreamFailure,
} from "./outbound.ts";

/** The time in ms for which a connection is reused after its address was checked. */
const REUSE_MS = 30_000;

/** Returns the port of an HTTPS origin. */
const portOf = ({ port }: URL) => (port === "" ? 443 : Number(port));

/**
 * Parses an origin. Throws `DestinationBlocked` unless it has https and a host name. An IP address is refused because a socket would
 * connect to it without the address check, which runs when a host name is resolved.
 */
function parse(origin: string): URL {
  const url = new URL(origin);
  if (url.protocol !== "https:" || isIP(url.hostname.replace(/[[\]]/g, "")) !== 0)
    throw new DestinationBlocked(`${origin} is not https with a host name`);
  return url;
}

/** Sends requests with undici. Uses no proxy, whatever the environment says. */
export class UndiciOutbound implements Outbound {
  readonly #agent: Agent;
  readonly #resolve: Resolve;
  readonly #rules: AddressRules;

  constructor(resolve: Resolve, rules: AddressRules) {
    this.#resolve = resolve;
    this.#rules = rules;
    this.#agent = new Agent({
      allowH2: false,
      bodyTimeout: 0,
      headersTimeout: 0,
      factory: (origin, options) =>
        new Pool(origin, {
          ...options,
          clientTtl: REUSE_MS,
          connect: {
            rejectUnauthorized: true,
            lookup: checkedLookup(portOf(new URL(origin)), resolve, rules),
          },
        }),
    });
  }

  async send(
    { origin, path, method, headers, body }: OutboundRequest,
    signal: AbortSignal,
  ): Promise<OutboundResponse> {
    parse(origin);
    try {
      const response = await this.#agent.request({
        origin,
        path,
        method: method as "GET",
        headers: headers.flat(),
        body,
        signal,
      });
      // Without a listener, an error after the body was discarded would end the process.
      response.body.on("error", () => {});
      return {
        status: response.statusCode,
        headers: response.headers,
        body: response.body,
        discard: () => void response.body.destroy(),
      };
    } catch (error) {
      throw failureOf(error);
    }
  }

  async check(origin: string, signal: AbortSignal): Promise<void> {
    const url = parse(origin);
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    try {
      await Promise.race([resolveChecked(url.hostname, portOf(url), this.#resolve, this.#rules), aborted]);
    } catch (error) {
      throw failureOf(error);
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/**
 * Converts an error of undici, TLS or the DNS to an `UpstreamFailure`, or returns the `DestinationBlocked` that caused it. Only the error
 * codes are kept, because other fields can contain the protected headers.
 */
function failureOf(error: unknown): Error {
  const codes: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof DestinationBlocked) return each;
    codes.push((each as NodeJS.ErrnoException).code ?? each.name);
  }
  return new UpstreamFailure(codes.join(", "));
}
