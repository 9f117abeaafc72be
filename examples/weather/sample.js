const HOUR_MS = 3_600_000;

/** Formats a time as the API does, such as `2026-01-31T14:00`. */
const text = (time) => new Date(time).toISOString().slice(0, 16);

/**
 * Returns a made-up forecast of the same shape as `forecastFor`, from the present hour on. The page shows it until it may call the API, so
 * that people see what it does.
 */
export function sampleForecast() {
  const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const hours = Array.from({ length: 24 }, (_, index) => {
    const hour = new Date(now + index * HOUR_MS).getUTCHours();
    return {
      time: text(now + index * HOUR_MS),
      temperature_2m: 17 - 5 * Math.cos(((hour - 3) / 12) * Math.PI),
      weather_code: [0, 1, 2, 3, 61, 2, 1, 0][Math.floor(index / 3)],
      is_day: Number(hour >= 6 && hour < 21),
      precipitation_probability: index >= 12 && index < 15 ? 60 : 0,
    };
  });
  const days = [2, 61, 1, 0, 3, 95, 2].map((code, index) => ({
    time: text(now + index * 24 * HOUR_MS).slice(0, 10),
    weather_code: code,
    temperature_2m_min: 11 + (index % 3),
    temperature_2m_max: 21 + ((index * 3) % 5),
    precipitation_probability_max: code > 50 ? 70 : 5,
  }));
  const current = {
    ...hours[0],
    apparent_temperature: hours[0].temperature_2m - 1,
    relative_humidity_2m: 58,
    wind_speed_10m: 11,
  };
  return { current, hours, days };
}
