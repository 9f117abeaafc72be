import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { assertAccessible, noBrowser, openAs, openBrowser } from "../packages/server/test/support/browser.ts";
import { startExternalApi } from "../packages/server/test/support/external-api.ts";
import { fileScope, startExample } from "../packages/server/test/support/service.ts";

/** A forecast as Open-Meteo's `/v1/forecast` sends it: one array for each variable, with local times. */
function forecast({ temperature = 3.4, code = 61 } = {}): string {
  const hours = Array.from({ length: 24 }, (_, hour) => hour);
  const days = Array.from({ length: 7 }, (_, day) => day);
  return JSON.stringify({
    latitude: 52.52,
    longitude: 13.419998,
    utc_offset_seconds: 3600,
    timezone: "Europe/Berlin",
    current_units: { temperature_2m: "°C" },
    current: {
      time: "2026-11-23T14:15",
      interval: 900,
      temperature_2m: temperature,
      apparent_temperature: -0.4,
      relative_humidity_2m: 81,
      weather_code: code,
      wind_speed_10m: 12.6,
      is_day: 1,
    },
    hourly: {
      time: hours.map(
        (hour) => `2026-11-${hour < 10 ? 23 : 24}T${String((14 + hour) % 24).padStart(2, "0")}:00`,
      ),
      temperature_2m: hours.map((hour) => 3.4 - hour / 4),
      weather_code: hours.map((hour) => [61, 3, 2, 0, 45, 73, 95][hour % 7]),
      is_day: hours.map((hour) => Number(hour < 3 || hour > 17)),
      precipitation_probability: hours.map((hour) => (hour % 3) * 25),
    },
    daily: {
      time: days.map((day) => `2026-11-${23 + day}`),
      weather_code: days.map((day) => [61, 73, 3, 2, 0, 45, 95][day]),
      temperature_2m_max: days.map((day) => 4.6 + day),
      temperature_2m_min: days.map((day) => -2.5 + day),
      precipitation_probability_max: days.map((day) => (day % 3) * 40),
    },
  });
}

const api = await startExternalApi({ after }, () => forecast());
const { base, env } = await startExample({ after }, "weather", {
  ...api.settings,
  SERVICE_RATELIMIT_ENABLED: "off",
});
const browser = noBrowser ? undefined : await openBrowser(fileScope());
const ADDRESS = `${base}/c/weather/`;

let shared: ReturnType<typeof openAs> | undefined;

/** Opens the page as a viewer. All tests share the browser window. */
async function openWeather() {
  const isFirst = shared === undefined;
  shared ??= openAs(browser ?? assert.fail("no browser"), ADDRESS, "viewer@example.com");
  const opened = await shared;
  if (!isFirst) {
    await opened.page.goto("about:blank");
    await opened.page.goto(ADDRESS);
  }
  return opened;
}

const shows = (page: Page, text: string | RegExp) =>
  page.locator("main > :not([role=status])").getByText(text).first().waitFor();
const again = (page: Page) => page.getByRole("button", { name: "Try again" });
const announces = (page: Page, text: string) =>
  page.waitForFunction(`document.getElementById("status").textContent === ${JSON.stringify(text)}`);

const signedIn = await fetch(`${base}/auth/dev/session`, {
  method: "POST",
  headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
  body: JSON.stringify({ email: "dev@example.com" }),
});
const [cookie = ""] = signedIn.headers.getSetCookie().map((each) => each.split(";")[0]);

/** Sends a request of the management API as the administrator, and returns the body of the response. */
async function manage(method: string, path: string, body: object = {}) {
  const response = await fetch(`${base}/api/${path}`, {
    method,
    headers: { cookie, "content-type": "application/json" },
    body: method === "GET" ? null : JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}

const { id: canvasId } =
  (await env.db.get<{ id: string }>`select id from canvases where slug = 'weather'`) ??
  assert.fail("not seeded");
const PROFILE = "admin/connections/weather";
const GRANT = `${PROFILE}/grants/${canvasId}`;
const profile = (changes = {}) => ({ origin: api.origin, methods: ["GET"], ...changes });

test("without a grant the page says what to do, and shows the forecast after the grant", {
  skip: noBrowser,
}, async () => {
  const { page, faults } = await openWeather();
  await shows(page, /An administrator creates this profile and grants it/);
  await shows(page, "https://api.open-meteo.com");
  await shows(page, /What you see below is a sample/);
  assert.equal(await page.locator("#hours li:visible").count(), 24);
  await assertAccessible(page, "dark");
  assert.equal(api.requests.length, 0);

  await manage("PUT", PROFILE, profile());
  await manage("PUT", GRANT);
  await again(page).focus();
  await page.keyboard.press("Enter");
  await shows(page, "3 °C");
  await page.waitForFunction("document.activeElement.id === 'place'");
  assert.deepEqual(faults, []);
});

test("the forecast of a place: now, hours and days", { skip: noBrowser }, async () => {
  const { page, faults } = await openWeather();
  await announces(page, "Berlin: 3 °C, Light rain.");
  await shows(page, "Monday 2:15 PM there");
  assert.deepEqual(await page.locator(".now dd").allTextContents(), ["0°", "13 km/h", "81%"]);
  const rows = (list: string) =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll("${list} li")].map(({ innerText }) => innerText.replaceAll("\\n", " "))`,
    );
  const hours = await rows("#hours");
  assert.equal(hours.length, 24);
  assert.deepEqual(hours.slice(0, 3), [
    "Now Light rain 3°",
    "3 PM Overcast 3° Chance of rain 25%",
    "4 PM Partly cloudy 3° Chance of rain 50%",
  ]);
  const days = await rows("#days");
  assert.equal(days.length, 7);
  assert.deepEqual(days.slice(0, 2), [
    "Today Light rain Low -3° High 5°",
    "Tuesday Snow Chance of rain 40% Low -2° High 6°",
  ]);
  const icons = page.locator("#hours use");
  assert.deepEqual(
    [await icons.nth(2).getAttribute("href"), await icons.nth(3).getAttribute("href")],
    ["#sun-cloud", "#moon"],
  );

  const [first] = api.requests.slice(-1);
  const { pathname, searchParams } = new URL(first?.url ?? "", api.origin);
  assert.equal(pathname, "/v1/forecast");
  assert.deepEqual([searchParams.get("latitude"), searchParams.get("timezone")], ["52.52", "auto"]);
  assert.equal(first?.headers.cookie, undefined);

  await page.getByLabel("Place").selectOption({ label: "Tokyo 東京" });
  await announces(page, "Tokyo 東京: 3 °C, Light rain.");
  const requested = new URL(api.requests.at(-1)?.url ?? "", api.origin);
  assert.equal(requested.searchParams.get("latitude"), "35.68");
  await page.reload();
  await announces(page, "Tokyo 東京: 3 °C, Light rain.");
  assert.equal(await page.getByLabel("Place").inputValue(), "tokyo");
  assert.equal(page.url(), `${ADDRESS}#tokyo`);
  assert.deepEqual(faults, []);
});

test("the page fits narrow and wide screens in both text directions, and has no accessibility violations", {
  skip: noBrowser,
}, async () => {
  const { page } = await openWeather();
  await announces(page, "Berlin: 3 °C, Light rain.");
  await assertAccessible(page);
  for (const dir of ["rtl", "ltr"])
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 700 });
      await page.evaluate(`document.dir = "${dir}"`);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width, dir);
      assert.equal(
        await page.evaluate(
          "document.querySelector('.now').scrollWidth <= document.querySelector('.now').offsetWidth",
        ),
        true,
      );
    }
  await page.setViewportSize({ width: 320, height: 700 });
  await page.locator("#hours").focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction("document.getElementById('hours').scrollLeft > 0");
});

test("a failure has its message, and Try again brings the forecast back", { skip: noBrowser }, async () => {
  const { page, faults } = await openWeather();
  await announces(page, "Berlin: 3 °C, Light rain.");
  const recovers = async () => {
    await again(page).click();
    await shows(page, "3 °C");
    assert.equal(await page.locator("#note").isVisible(), false);
  };

  for (const [reply, message] of [
    [() => ({ status: 503 }), /does not respond at present/],
    [() => "<h1>Maintenance</h1>", /does not understand/],
    [() => "{}", /does not understand/],
  ] as [typeof api.reply, RegExp][]) {
    api.reply = reply;
    await page.reload();
    await shows(page, message);
    assert.equal(await page.locator("#forecast").isVisible(), false);
    api.reply = () => forecast();
    await recovers();
  }

  await manage("PUT", PROFILE, profile({ enabled: false }));
  await page.reload();
  await shows(page, /An administrator has switched the weather service off/);
  await manage("PUT", PROFILE, profile());
  await recovers();

  await page.context().setOffline(true);
  await page.getByLabel("Place").selectOption("cairo");
  await shows(page, /Check your connection/);
  await page.context().setOffline(false);
  await shows(page, "3 °C");
  assert.deepEqual(faults, []);
});

test("every refusal of the service and every failure of the API has a message", async () => {
  const folder = new URL("weather/", import.meta.url);
  const { explain }: { explain(error: object): string } = await import(new URL("messages.js", folder).href);
  const { ApiError }: { ApiError: new (status: number) => Error } = await import(
    new URL("weather.js", folder).href
  );
  for (const [error, message] of [
    [new ApiError(503), /does not respond at present/],
    [new ApiError(429), /has had too many requests/],
    [new ApiError(400), /does not understand/],
    [{ code: "DESTINATION_BLOCKED" }, /check the origin/],
    [{ code: "METHOD_NOT_ALLOWED" }, /does not allow GET/],
    [{ code: "CONNECTION_RATE_LIMIT" }, /many requests in a short time/],
    [{ code: "PERMISSION_DENIED" }, /Only the owner and the editors/],
    [{ code: "ANY", status: 0 }, /Check your connection/],
    [{}, /^A part of this page is missing\./],
  ] as const)
    assert.match(explain(error), message);
});

test("a newer choice replaces an older one whose response comes late", { skip: noBrowser }, async () => {
  const { page } = await openWeather();
  await announces(page, "Berlin: 3 °C, Light rain.");
  const late = Promise.withResolvers<string>();
  const asked = Promise.withResolvers<void>();
  api.reply = ({ url = "" }) => {
    if (!url.includes("latitude=30.04")) return forecast({ temperature: 21, code: 0 });
    asked.resolve();
    return late.promise;
  };
  await page.getByLabel("Place").selectOption("cairo");
  await asked.promise;
  const aborted = page.waitForEvent("requestfailed", (request) => request.url().includes("latitude=30.04"));
  assert.equal(await page.locator("#forecast").getAttribute("aria-busy"), "true");
  await page.getByLabel("Place").selectOption("nairobi");
  await aborted;
  await announces(page, "Nairobi: 21 °C, Clear.");
  late.resolve(forecast());
  assert.equal(await page.locator(".now h2").innerText(), "Nairobi");
  api.reply = () => forecast();
});

test("visitors of a Public link see the forecast where the grant is public", {
  skip: noBrowser,
}, async () => {
  await manage("PUT", `canvases/${canvasId}/sharing`, { access: "public_link" });
  const page = await (browser ?? assert.fail("no browser")).newPage();
  await page.goto(ADDRESS);
  await shows(page, /Visitors of this link cannot see the weather/);
  await manage("PUT", GRANT, { public: true });
  await again(page).click();
  await shows(page, "3 °C");
  await page.context().close();
});
