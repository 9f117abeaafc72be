import { skyOf } from "./sky.js";

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0, signDisplay: "negative" });
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 0 });
const speed = new Intl.NumberFormat("en", {
  style: "unit",
  unit: "kilometer-per-hour",
  maximumFractionDigits: 0,
});
const clock = new Intl.DateTimeFormat("en", { hour: "numeric", timeZone: "UTC" });
const minute = new Intl.DateTimeFormat("en", {
  weekday: "long",
  hour: "numeric",
  minute: "2-digit",
  timeZone: "UTC",
});
const weekday = new Intl.DateTimeFormat("en", { weekday: "long", timeZone: "UTC" });

/** Converts a local time such as `2026-01-31T14:00` to a Date, as if it were UTC. The formats above use UTC, so they show local time. */
const dateOf = (time) => new Date(time.length > 10 ? `${time}Z` : time);
const degrees = (value) => `${whole.format(value)}°`;

const setText = (root, selector, text) => {
  root.querySelector(selector).textContent = text;
};
const setIcon = (root, icon) => root.querySelector(".icon use").setAttribute("href", `#${icon}`);

/** Shows the chance of rain, `value` percent. Hides it if it is below 5 % or unknown. */
function setChance(item, value) {
  item.querySelector(".rain").hidden = !(value >= 5);
  setText(item, ".chance", percent.format((value ?? 0) / 100));
}

const copyOf = (id) => document.getElementById(id).content.cloneNode(true).firstElementChild;

function drawNow({ name }, { time, ...current }) {
  const section = document.querySelector(".now");
  const { text, icon } = skyOf(current.weather_code, current.is_day !== 0);
  section.dataset.icon = icon;
  setIcon(section, icon);
  setText(section, "h2 bdi", name);
  setText(section, ".time", `${minute.format(dateOf(time))} there`);
  setText(section, ".degrees", `${whole.format(current.temperature_2m)} °C`);
  setText(section, ".sky", text);
  setText(section, ".feels", degrees(current.apparent_temperature));
  setText(section, ".wind", speed.format(current.wind_speed_10m));
  setText(section, ".humidity", percent.format(current.relative_humidity_2m / 100));
  return `${name}: ${whole.format(current.temperature_2m)} °C, ${text}.`;
}

function hourItem(hour, index) {
  const item = copyOf("hour");
  const { text, icon } = skyOf(hour.weather_code, hour.is_day !== 0);
  setText(item, "time", index === 0 ? "Now" : clock.format(dateOf(hour.time)));
  item.querySelector("time").dateTime = hour.time;
  setIcon(item, icon);
  setText(item, ".sky", text);
  setText(item, "b", degrees(hour.temperature_2m));
  setChance(item, hour.precipitation_probability);
  return item;
}

/** Returns a function that makes the list item of a day. The bars of all days have the same scale. */
function dayItems(days) {
  const coldest = Math.min(...days.map((day) => day.temperature_2m_min));
  const warmest = Math.max(...days.map((day) => day.temperature_2m_max));
  const share = (value) => `${(100 * (value - coldest)) / Math.max(1, warmest - coldest)}%`;
  return (day, index) => {
    const item = copyOf("day");
    const { text, icon } = skyOf(day.weather_code);
    setText(item, "time", index === 0 ? "Today" : weekday.format(dateOf(day.time)));
    item.querySelector("time").dateTime = day.time;
    setIcon(item, icon);
    setText(item, ".sky", text);
    setChance(item, day.precipitation_probability_max);
    setText(item, ".low > :last-child", degrees(day.temperature_2m_min));
    setText(item, ".high b", degrees(day.temperature_2m_max));
    item.querySelector("i").style.setProperty("--from", share(day.temperature_2m_min));
    item.querySelector("i").style.setProperty("--to", share(day.temperature_2m_max));
    return item;
  };
}

/** Shows the forecast for a place. Returns a sentence about the weather now. */
export function drawForecast(place, { current, hours, days }) {
  const list = document.getElementById("hours");
  list.replaceChildren(...hours.map(hourItem));
  // Keys scroll the list in browsers that do not focus scrollers by themselves.
  list.tabIndex = 0;
  list.scrollLeft = 0;
  document.getElementById("days").replaceChildren(...days.map(dayItems(days)));
  return drawNow(place, current);
}
