import { explain, needsGrant } from "./messages.js";
import { currentPlace, PLACES } from "./places.js";
import { sampleForecast } from "./sample.js";
import { drawForecast } from "./view.js";
import { forecastFor } from "./weather.js";

const element = (id) => document.getElementById(id);
const select = element("place");

/** When the person comes back to the page and the forecast is older than this, in ms, the page loads a new one. */
const FRESH_MS = 15 * 60 * 1000;

/** Aborts the request that is running. */
let stop = new AbortController();
let loadedAt = 0;

/** Shows why there is no forecast; hides the message if the error is null. */
function showNote(error) {
  const note = element("note");
  const focused = note.contains(document.activeElement);
  note.querySelector("p").textContent = error === null ? "" : explain(error);
  const isSample = error !== null && needsGrant(error);
  note.querySelector("dl").hidden = !isSample;
  note.classList.toggle("calm", isSample);
  note.hidden = error === null;
  if (focused && note.hidden) select.focus();
}

/** Loads and shows the forecast for the place that the address of the page names. A new call aborts the call before it. */
async function load() {
  stop.abort();
  stop = new AbortController();
  const { signal } = stop;
  const place = currentPlace();
  const forecast = element("forecast");
  select.value = place.id;
  forecast.ariaBusy = "true";
  element("status").textContent = `Loading the weather of ${place.name}.`;
  let error = null;
  try {
    const said = drawForecast(place, await forecastFor(place, signal));
    document.title = `${place.name} · Weather`;
    element("status").textContent = said;
    loadedAt = Date.now();
  } catch (caught) {
    if (signal.aborted) return;
    error = caught;
    element("status").textContent = "";
    if (needsGrant(error)) drawForecast(place, sampleForecast());
  }
  forecast.ariaBusy = "false";
  forecast.hidden = error !== null && !needsGrant(error);
  showNote(error);
}

select.append(...PLACES.map(({ id, name }) => new Option(name, id)));
select.addEventListener("change", () => {
  location.hash = select.value;
});
addEventListener("hashchange", load);
addEventListener("online", load);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && Date.now() - loadedAt > FRESH_MS) load();
});
element("again").addEventListener("click", load);
load();
