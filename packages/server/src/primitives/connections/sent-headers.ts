/** Request headers that pages may send through every profile. */
interface SentFamily {
  /** What the headers of the family say. */
  what: string;
  /** Names in lower case. */
  names: readonly string[];
}

/**
 * The request headers of a caller that are sent to the upstream, besides those that the profile adds. A list of what is removed cannot be
 * complete: each API reads names of its own by which its proxies say who the user is or what they may do.
 */
export const SENT_FAMILIES: readonly SentFamily[] = [
  {
    what: "the response that the page wants",
    names: ["accept", "accept-charset", "accept-language", "cache-control", "pragma", "prefer", "range"],
  },
  {
    what: "the body",
    names: [
      "content-digest",
      "content-disposition",
      "content-language",
      "content-md5",
      "content-range",
      "content-type",
      "digest",
      "repr-digest",
      "soapaction",
    ],
  },
  {
    what: "conditions",
    names: ["if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since"],
  },
  {
    what: "the request among others",
    names: [
      "idempotency-key",
      "request-id",
      "traceparent",
      "tracestate",
      "x-correlation-id",
      "x-idempotency-key",
      "x-request-id",
    ],
  },
  {
    what: "the version of the API",
    names: [
      "anthropic-version",
      "api-version",
      "notion-version",
      "stripe-version",
      "x-api-version",
      "x-github-api-version",
    ],
  },
  { what: "the program", names: ["user-agent"] },
];

const NAMES = new Set(SENT_FAMILIES.flatMap(({ names }) => names));

/** Whether a request header with this name, in lower case, is sent to an upstream. `added` are the names that its profile adds. */
export const isSent = (name: string, added: readonly string[]): boolean =>
  NAMES.has(name) || added.includes(name);
