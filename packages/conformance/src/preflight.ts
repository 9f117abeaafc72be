import assert from "node:assert/strict";
import { hasCorpora } from "./corpus.ts";
import { freshSlug, manage } from "./fixture.ts";
import { type Answer, send } from "./http.ts";
import { open } from "./page.ts";
import { parallel } from "./parallel.ts";
import { connect } from "./realtime/socket.ts";
import { devTarget, type Person, proxyTarget, type Target, type TargetOptions } from "./target.ts";

/** The settings with which a service can pass all tests except those of rate limits. */
const SETTINGS: Record<string, string> = {
  SERVICE_RATELIMIT_ENABLED: "off",
  SERVICE_REALTIME_PUBLISHES_PER_MIN: "1000000000",
  SERVICE_AUTHORING: "on",
  SERVICE_AUTHORING_USER_DAILY_MAX: "1000",
};

/** The settings with which a service can pass the tests of rate limits. */
const LIMITED_SETTINGS: Record<string, string> = {
  SERVICE_RATELIMIT_CANVAS_API_PER_MIN: "100",
  SERVICE_RATELIMIT_LOGIN_PER_MIN: "100",
  SERVICE_AUTHORING: "on",
};

/** The number of sign-ins per minute that the tests of rate limits need. A service that allows fewer is not ready for these tests. */
const SIGN_INS = 100;

/** The number of messages that `limitsPublishes` sends at once on one WebSocket connection. */
const BURST = 300;

const TARGETS = { dev: devTarget, proxy: proxyTarget };

/** A service against which the tests can run. */
export interface Ready {
  target: Target;
  /** Whether pages may publish canvases on the service. */
  authoring: boolean;
  /**
   * The groups of tests that do not run against the service. Each text also says what the group needs, such as `4.8 authoring, but for its
   * switch: SERVICE_AUTHORING=on`.
   */
  leftOut: string[];
}

/**
 * An error that says why the tests cannot run: the service or the environment variables of the command are not set up for them. The message
 * tells a person what to change.
 */
export class NotReady extends Error {}

const commandOf = (settings: Record<string, string>) =>
  `${Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ")} npm start`;

/**
 * Returns the error for a service that responds but needs other settings. Its message lists `faults` and the command that starts the
 * service with `settings`. `ending` is the last line.
 */
const restart = (base: string, faults: string[], settings: Record<string, string>, ending: string) =>
  new NotReady(
    [
      `The service at ${base} is not set up for these tests:`,
      ...faults.map((fault) => `  - ${fault}`),
      "Stop it, start it with these settings, and run the command again:",
      `  ${commandOf(settings)}`,
      ending,
    ].join("\n"),
  );

function choice<Name extends string>(
  variable: string,
  given: string | undefined,
  names: readonly Name[],
): Name | undefined {
  if (given === undefined || given === "") return undefined;
  const found = names.find((name) => name === given);
  if (found === undefined) throw new NotReady(`${variable} is ${names.join(" or ")}, not ${given}.`);
  return found;
}

/**
 * Checks that the tests can run against the service that the environment variable `BASE_URL` names, and finds out how that service is set
 * up. Sends some requests, creates one canvas and deletes it. Throws `NotReady` if the tests cannot run.
 */
export async function preflight(environment: NodeJS.ProcessEnv): Promise<Ready> {
  const { BASE_URL, ADMIN_EMAIL = "dev@example.com", AI_PROVIDER, UPSTREAM } = environment;
  if (!BASE_URL || !URL.canParse(BASE_URL))
    throw new NotReady("BASE_URL names the service: BASE_URL=http://localhost:3000 npm run conformance");
  const rateLimited = environment.RATE_LIMITED === "1";
  const wire = choice("AI_WIRE", environment.AI_WIRE, ["anthropic", "openai"]) ?? "anthropic";
  const options: TargetOptions = {
    rateLimited,
    admin: ADMIN_EMAIL,
    ...(AI_PROVIDER ? { ai: { url: AI_PROVIDER, wire } } : {}),
    ...(UPSTREAM ? { upstream: UPSTREAM } : {}),
  };
  const base = new URL(BASE_URL).origin;
  await reach(base);
  const { authMode, signIn } = await signInMode(base, environment, options);
  const { admin, me } = await signInAsAdmin(base, authMode, options, signIn);
  const urlMode = choice("URL_MODE", environment.URL_MODE, ["path", "subdomain"]);
  if (urlMode !== undefined && urlMode !== me.json.urlMode)
    throw new NotReady(`The service runs in URL mode ${me.json.urlMode}, and URL_MODE is ${urlMode}.`);
  const target = TARGETS[authMode](base, me.json.urlMode as Target["urlMode"], options);
  const isLimited = me.headers["x-ratelimit-limit"] !== undefined;
  if (rateLimited) requireLimits(base, isLimited, signIn);
  const { authoring, publishesLimited } = isLimited
    ? { authoring: environment.AUTHORING === "1", publishesLimited: false }
    : await probe(target, admin);
  if (!rateLimited && (isLimited || publishesLimited)) {
    const faults = [
      ...(isLimited ? ["it limits requests and sign-ins a minute, and the tests send thousands"] : []),
      ...(publishesLimited ? [`it limits the messages of a connection to fewer than ${BURST} a minute`] : []),
    ];
    throw restart(
      base,
      faults,
      SETTINGS,
      `The tests of the rate limits themselves run with RATE_LIMITED=1 against: ${commandOf(LIMITED_SETTINGS)}`,
    );
  }
  if (environment.AUTHORING === "1" && !authoring)
    throw restart(base, ["AUTHORING is 1, but SERVICE_AUTHORING is off"], SETTINGS, "");
  return { target, authoring, leftOut: leftOut(target, authoring) };
}

async function reach(base: string): Promise<void> {
  let answer: Answer;
  try {
    answer = await send(base, { method: "GET", path: "/healthz" });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new NotReady(
      `Nothing answers at ${base} (${code ?? message}). Start a service for the tests:\n  ${commandOf(SETTINGS)}`,
    );
  }
  if (answer.status === 421)
    throw new NotReady(`The service does not answer for the host of ${base}: its SERVICE_BASE_URL differs.`);
  if (answer.status !== 200)
    throw new NotReady(`GET ${base}/healthz is ${answer.status}: that is not a service which can be tested.`);
}

/**
 * Finds out whether people sign in to the service in dev mode or through a proxy, by trying a dev sign-in. `signIn` in the result is the
 * response to it. Throws `NotReady` if the sign-in mode is another one or contradicts `AUTH_MODE`.
 */
async function signInMode(
  base: string,
  environment: NodeJS.ProcessEnv,
  { admin }: TargetOptions,
): Promise<{ authMode: "dev" | "proxy"; signIn: Answer }> {
  const told = choice("AUTH_MODE", environment.AUTH_MODE, ["dev", "proxy"]);
  const signIn = await send(base, {
    method: "POST",
    path: "/auth/dev/session",
    headers: [["Content-Type", "application/json"]],
    body: JSON.stringify({ email: admin }),
  });
  const anonymous = await send(base, { method: "GET", path: "/api/me" });
  if (anonymous.status === 302)
    throw new NotReady("The service signs people in through OpenID Connect, which this command cannot do.");
  const authMode = signIn.status === 404 ? "proxy" : "dev";
  if (told !== undefined && told !== authMode)
    throw new NotReady(`The service runs in sign-in mode ${authMode}, and AUTH_MODE is ${told}.`);
  return { authMode, signIn };
}

/**
 * Signs in as the administrator. Returns the administrator, and the response to `GET /api/me` as `me`. Throws `NotReady` if the sign-in
 * fails or the person is no administrator.
 */
async function signInAsAdmin(
  base: string,
  authMode: "dev" | "proxy",
  options: TargetOptions,
  signIn: Answer,
): Promise<{ admin: Person; me: Answer }> {
  const email = String(options.admin);
  if (signIn.status === 429) throw restart(base, ["it limits sign-ins a minute"], SETTINGS, "");
  if (authMode === "dev" && signIn.status !== 204)
    throw new NotReady(`The service does not let ${email} sign in: ${signIn.status} ${signIn.text}`);
  const admin = await TARGETS[authMode](base, "path", options).signIn(email);
  const me = await manage({ base } as Target, admin, "GET", "/api/me");
  if (me.status !== 200)
    throw new NotReady(
      `GET ${base}/api/me is ${me.status} with the identity headers of ${email}: SERVICE_PROXY_TRUSTED_IPS must include this machine.`,
    );
  if (me.json.isAdmin !== true)
    throw new NotReady(`${email} is no administrator of the service: set ADMIN_EMAIL to one.`);
  if (me.json.baseUrl !== base)
    throw new NotReady(`The service calls itself ${me.json.baseUrl}: set BASE_URL to that.`);
  return { admin, me };
}

function requireLimits(base: string, isLimited: boolean, signIn: Answer): void {
  const signIns = Number(signIn.headers["x-ratelimit-limit"] ?? SIGN_INS);
  if (isLimited && signIns >= SIGN_INS) return;
  throw restart(
    base,
    [
      isLimited
        ? `it allows ${signIns} sign-ins a minute, and the tests need ${SIGN_INS}`
        : "RATE_LIMITED is 1, but it limits nothing",
    ],
    LIMITED_SETTINGS,
    "",
  );
}

/**
 * Creates a canvas and finds out with it whether pages may publish canvases (`authoring`), and whether the service limits the realtime
 * messages of a connection (`publishesLimited`). Deletes the canvas.
 */
async function probe(
  target: Target,
  admin: Person,
): Promise<{ authoring: boolean; publishesLimited: boolean }> {
  const slug = freshSlug();
  const made = await manage(target, admin, "POST", "/api/canvases", { title: "Conformance preflight", slug });
  assert.equal(made.status, 201, made.text);
  const path = `/api/canvases/${made.json.id}`;
  try {
    const switches = { backendEnabled: true, authoring: true };
    const turned = await manage(target, admin, "PATCH", `${path}/capabilities`, switches);
    assert.equal(turned.status, 200, turned.text);
    const list = await open(target, slug, admin).get("/authoring");
    return {
      authoring: list.status === 200,
      publishesLimited: await limitsPublishes(target, slug, admin),
    };
  } finally {
    const deleted = await manage(target, admin, "DELETE", path);
    assert.equal(deleted.status, 204, deleted.text);
  }
}

/**
 * Publishes `BURST` messages at once on one WebSocket connection. Returns whether the service refused any of them because of a rate limit.
 */
async function limitsPublishes(target: Target, slug: string, person: Person): Promise<boolean> {
  const socket = await connect(target, slug, person);
  try {
    const frame = { type: "publish", channel: "preflight", event: "burst" };
    await parallel(new Array(BURST).fill(frame), async (each) => socket.send(each));
    const frames = await socket.settled();
    return frames.some(({ code }) => code === "RATE_LIMITED");
  } finally {
    await socket.drop();
  }
}

/** Returns the groups of tests that do not run against the service, with what each group needs (see `Ready.leftOut`). */
function leftOut({ rateLimited, ai, upstream, urlMode, authMode }: Target, authoring: boolean): string[] {
  if (rateLimited) return ["everything but rate limits: without RATE_LIMITED, on a service without limits"];
  return [
    `rate limits: RATE_LIMITED=1, on a service with ${commandOf(LIMITED_SETTINGS)}`,
    ...(authoring ? [] : ["4.8 authoring, but for its switch: SERVICE_AUTHORING=on"]),
    ...(ai ? [] : ["4.5 AI: AI_PROVIDER, a stand-in provider (packages/conformance/README.md)"]),
    ...(upstream ? [] : ["4.6 Connections: UPSTREAM, a stand-in API (packages/conformance/README.md)"]),
    ...(hasCorpora ? [] : ["corpora of hostile JSON and strings: CORPORA, a folder with them"]),
    `URL mode ${urlMode === "path" ? "subdomain" : "path"}: a service with that SERVICE_URL_MODE`,
    `sign-in mode ${authMode === "dev" ? "proxy" : "dev"}: a service with that SERVICE_AUTH_MODE`,
  ];
}
