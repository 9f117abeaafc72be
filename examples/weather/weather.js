/** The name of the profile, through which the service calls the API. */
const PROFILE = "weather";

const HOURLY = ["temperature_2m", "weather_code", "is_day", "precipitation_probability"];
const DAILY = ["weather_code", "temperature_2m_max", "temperature_2m_min", "precipitation_probability_max"];
const CURRENT = [
  "temperature_2m",
  "apparent_temperature",
  "relative_humidity_2m",
  "weather_code",
  "wind_speed_10m",
  "is_day",
];

/** The error if the weather API responds without a forecast. `status` is the status of the response: 200 if only its body is unusable. */
export class ApiError extends Error {
  constructor(status) {
    super(`The weather API responded with status ${status}.`);
    this.status = status;
  }
}

/** Converts `{ time: [1, 2], rain: [5, 6] }` to `[{ time: 1, rain: 5 }, { time: 2, rain: 6 }]`. */
const rowsOf = ({ time, ...columns }) =>
  time.map((each, index) => ({
    time: each,
    ...Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[index]])),
  }));

/**
 * Resolves with the forecast for a place. Times are local to the place. Rejects with an `EaselError` if the service could not call the API,
 * and with an `ApiError` if the API sent no forecast.
 */
export async function forecastFor({ latitude, longitude }, signal) {
  const query = new URLSearchParams({
    latitude,
    longitude,
    current: CURRENT.join(),
    hourly: HOURLY.join(),
    daily: DAILY.join(),
    forecast_hours: 24,
    forecast_days: 7,
    timezone: "auto",
  });
  const response = await easel.connections.fetch(PROFILE, `/v1/forecast?${query}`, { signal });
  if (!response.ok) throw new ApiError(response.status);
  try {
    const { current, hourly, daily } = await response.json();
    if (!Number.isFinite(current.temperature_2m)) throw new TypeError("no temperature");
    return { current, hours: rowsOf(hourly), days: rowsOf(daily) };
  } catch (error) {
    signal.throwIfAborted();
    throw Object.assign(new ApiError(response.status), { cause: error });
  }
}
