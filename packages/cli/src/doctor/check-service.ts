import { discover } from "../account/discovery.ts";
import { isLoopback } from "../api/encryption.ts";
import { causeOf } from "../api/send.ts";
import { bodyOf, findAccount, serviceAt, serviceUrl } from "../api/service.ts";
import type { Context } from "../context.ts";
import { clean } from "../terminal/clean.ts";
import { formatTime } from "../terminal/format.ts";
import { type Finding, fault, faultOf, ok, warning } from "./finding.ts";

/** The time within which the service must answer. */
const TIMEOUT_MS = 10_000;
/** The maximum difference between the clocks. Tokens and links expire by the clock of the service. */
const CLOCK_MS = 60_000;
/** The remaining lifetime below which a token gives a warning. */
const ENDS_SOON_MS = 7 * 24 * 60 * 60 * 1000;

/** Compares the clocks. The service wrote the `Date` header, in whole seconds, at some time between `sent` and `received`. */
function checkClock(date: string | null, sent: number, received: number): Finding {
  const theirs = Date.parse(date ?? "");
  if (Number.isNaN(theirs))
    return warning("clock", "The service does not tell its time.", "Check the clock.");
  const ahead = Math.max(0, theirs - received) || Math.min(0, theirs + 1000 - sent);
  if (Math.abs(ahead) <= CLOCK_MS) return ok("clock", "It agrees with that of the service.");
  const seconds = Math.round(Math.abs(ahead) / 1000);
  return fault(
    "clock",
    `It is ${seconds} s ${ahead > 0 ? "behind" : "ahead of"} that of the service.`,
    "Set the clock of this computer by the network.",
  );
}

/** Checks that an Easel service answers without a redirect, and compares the clocks. Returns only a fault of `service` if none answers. */
async function checkReach(url: string, { signal }: Context): Promise<Finding[]> {
  const sent = Date.now();
  let response: Response;
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    response = await fetch(`${url}/healthz`, { redirect: "manual", signal: limit });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const message = `${url} cannot be reached: ${clean(causeOf(error))}.`;
    return [fault("service", message, "Check the address, the network and the proxy.")];
  }
  const received = Date.now();
  const location = response.headers.get("location");
  const text = await response.text().catch(() => "");
  if (location !== null) {
    const target = clean(URL.parse(location, url)?.origin ?? location);
    return [fault("service", `${url} redirects to ${target}.`, `Use that address: --url ${target}`)];
  }
  if (!response.ok || !/^\{"ok":true\}\s*$/.test(text))
    return [
      fault("service", `No Easel answers at ${url} (status ${response.status}).`, "Check the address."),
    ];
  return [
    ok("service", `${url} answers within ${received - sent} ms.`),
    checkClock(response.headers.get("date"), sent, received),
  ];
}

/** Checks that the address is the public address of the service. Cookies, links and the sign-in work only there. */
const checkAddress = (url: string, context: Context): Promise<Finding> =>
  discover(url, context).then(
    () => ok("address", "It is the public address of the service."),
    (error) => faultOf("address", error),
  );

function checkScheme(url: URL): Finding {
  if (url.protocol === "https:") return ok("https", "The connection is encrypted.");
  if (isLoopback(url)) return ok("https", "The service is on this computer.");
  return warning(
    "https",
    "The connection is not encrypted: others can read tokens and session cookies.",
    "Put TLS in front of the service, and set SERVICE_BASE_URL to its https address.",
  );
}

/** Checks that canvases can have subdomains. Some browsers keep no cookies below a host without a dot; an IP address has no subdomains. */
function checkCookies(url: URL, urlMode: string): Finding {
  const isName = url.hostname.includes(".") && !/^[\d.]+$|^\[/.test(url.hostname);
  if (urlMode !== "subdomain" || isName)
    return ok("cookies", `Canvases have addresses in ${clean(urlMode)} mode.`);
  return warning(
    "cookies",
    `Each canvas has a host below ${url.hostname}, which is no domain: some browsers keep no cookies there.`,
    "Use a host such as easel.localhost, or path mode.",
  );
}

async function checkToken(given: string | undefined, context: Context): Promise<Finding[]> {
  const { url, token, source } = await findAccount({ url: given, folder: context.cwd }, context);
  const { api } = serviceAt(url, token, context);
  const { email, authMode, urlMode } = await bodyOf(api.GET("/api/me"));
  const { scope, canvas, expiresAt } = await bodyOf(api.GET("/api/token"));
  const where = canvas === null ? "" : `, only for the canvas ${canvas.slug ?? canvas.id}`;
  const end = expiresAt === null ? "never ends" : `ends ${formatTime(expiresAt)}`;
  const text = clean(`${email}, scope ${scope}${where}, ${end}; from ${source}.`);
  const isSoon = expiresAt !== null && expiresAt - Date.now() < ENDS_SOON_MS;
  return [
    isSoon ? warning("token", text, `Run \`easel login ${url}\` for a new one.`) : ok("token", text),
    ok("sign-in", `The service signs people in by its mode ${clean(authMode)}.`),
    checkCookies(new URL(url), urlMode),
  ];
}

/** Checks the service that the command line would use: reachability, clock, address, https, the token and cookies. */
export async function checkService(given: string | undefined, context: Context): Promise<Finding[]> {
  let url: string;
  try {
    url = await serviceUrl({ url: given, folder: context.cwd }, context);
  } catch (error) {
    const { message, advice = "" } = faultOf("service", error);
    return [warning("service", message, advice)];
  }
  const reach = await checkReach(url, context);
  if (reach.some(({ check, status }) => check === "service" && status !== "ok")) return reach;
  return [
    ...reach,
    checkScheme(new URL(url)),
    await checkAddress(url, context),
    ...(await checkToken(given, context).catch((error) => [faultOf("token", error)])),
  ];
}
