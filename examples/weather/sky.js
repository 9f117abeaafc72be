/** Each row is a range of WMO weather codes: the last code of the range, its meaning, and the id of its icon. The rows ascend. */
const CODES = [
  [0, "Clear", "sun"],
  [1, "Mostly clear", "sun-cloud"],
  [2, "Partly cloudy", "sun-cloud"],
  [3, "Overcast", "cloud"],
  [48, "Fog", "fog"],
  [57, "Drizzle", "rain"],
  [61, "Light rain", "rain"],
  [63, "Rain", "rain"],
  [65, "Heavy rain", "rain"],
  [67, "Freezing rain", "rain"],
  [71, "Light snow", "snow"],
  [73, "Snow", "snow"],
  [77, "Heavy snow", "snow"],
  [82, "Rain showers", "rain"],
  [86, "Snow showers", "snow"],
  [99, "Thunderstorm", "storm"],
];

/** Returns what a weather code means and the id of its icon, by day or by night. */
export function skyOf(code, isDay = true) {
  const [, text, icon] = CODES.find(([last]) => code <= last) ?? [99, "Unknown", "cloud"];
  return { text, icon: isDay ? icon : icon.replace("sun", "moon") };
}
