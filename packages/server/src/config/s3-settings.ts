/** An access key for S3. */
export interface S3Keys {
  accessKeyId: string;
  secretAccessKey: string;
  /** The token of temporary keys. */
  sessionToken?: string | undefined;
}

/** Where a bucket is, and how requests to it are signed. */
export interface S3Settings {
  bucket: string;
  /** What the names of all objects begin with: a path that ends with a slash, or nothing. */
  prefix: string;
  /** The address of the server: its origin, and the path of the API if it has one. */
  endpoint: string;
  region: string;
  /** Whether the bucket is the first part of the path. Otherwise it is the first part of the host name. */
  pathStyle: boolean;
  /** The static key; null if providers of credentials find one. */
  keys: S3Keys | null;
}

const PARAMETERS = ["endpoint", "region", "pathStyle"];
const BUCKET = /^[a-zA-Z0-9][a-zA-Z0-9._-]{1,253}[a-zA-Z0-9]$/;
const PREFIX = /^[\w.-]+(\/[\w.-]+)*$/;

/** Returns the address that a text names, without a slash at its end. Returns null if it is not one with http or https, or has more than a path. */
function addressOf(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, origin, pathname, href } = new URL(text);
  return /^https?:$/.test(protocol) && href === origin + pathname ? href.replace(/\/$/, "") : null;
}

type Environment = Record<string, string | undefined>;

/** Reads the access key from the usual variables of AWS. Pushes a message to `mistakes` if only a part of it is there. */
function readKeys(environment: Environment, mistakes: string[]): S3Keys | null {
  const [id, secret, token] = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"] as const;
  const [accessKeyId, secretAccessKey] = [environment[id], environment[secret]];
  if (accessKeyId && secretAccessKey)
    return { accessKeyId, secretAccessKey, sessionToken: environment[token] || undefined };
  if (accessKeyId) mistakes.push(`${secret} is missing: ${id} is set`);
  if (secretAccessKey) mistakes.push(`${id} is missing: ${secret} is set`);
  return null;
}

/**
 * Reads `SERVICE_BLOBS_URL=s3://bucket/prefix?endpoint=…&region=…&pathStyle=true`, and the key from the variables of AWS. Pushes messages to
 * `mistakes`, none of which contains the value: it could hold a key by mistake. Then returns null.
 */
export function readS3(address: string, environment: Environment, mistakes: string[]): S3Settings | null {
  const found: string[] = [];
  const require = (holds: boolean, message: string) => {
    if (!holds) found.push(`SERVICE_BLOBS_URL ${message}`);
  };
  const given = URL.canParse(address) ? new URL(address) : new URL("s3://");
  const { hostname: bucket, username, password, port, hash, searchParams } = given;
  const prefix = given.pathname.replace(/^\//, "").replace(/\/$/, "");
  const pathStyle = searchParams.get("pathStyle");
  const endpoint = searchParams.get("endpoint");
  const region =
    searchParams.get("region") || environment.AWS_REGION || (endpoint === null ? "" : "us-east-1");
  require(username === "" &&
    password === "", "must not hold a key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  require(BUCKET.test(bucket) &&
    port === "" &&
    hash === "", "must name a bucket, as in `s3://bucket/prefix?region=eu-central-1`");
  require(prefix === "" ||
    PREFIX.test(prefix), "may have letters, digits, `_`, `.`, `-` and `/` in its prefix");
  for (const name of searchParams.keys())
    require(PARAMETERS.includes(
      name,
    ), `has an unknown parameter \`${name}\`; it may have ${PARAMETERS.map((each) => `\`${each}\``).join(", ")}`);
  require(endpoint === null ||
    addressOf(endpoint) !== null, "must have an address as its `endpoint`, such as `https://s3.example.com`");
  require(!endpoint?.replace(/\/$/, "").endsWith(`/${bucket}`) ||
    addressOf(endpoint) === `https://${bucket}`, "must not repeat the bucket in its `endpoint`");
  require(/^[\w-]+$/.test(region), "needs a region: add `region=`, or set AWS_REGION");
  require(pathStyle === null ||
    /^(true|false)$/.test(pathStyle), "may have `pathStyle=true` or `pathStyle=false`");
  const keys = readKeys(environment, found);
  mistakes.push(...found);
  if (found.length > 0) return null;
  return {
    bucket,
    prefix: prefix === "" ? "" : `${prefix}/`,
    endpoint: addressOf(endpoint ?? "") ?? `https://s3.${region}.amazonaws.com`,
    region,
    // A certificate for `*.s3.{region}.amazonaws.com` covers no bucket with a dot in its name.
    pathStyle: pathStyle === null ? endpoint !== null || bucket.includes(".") : pathStyle === "true",
    keys,
  };
}
