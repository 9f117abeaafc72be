const SYSTEMS: [mark: RegExp, name: string][] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/CrOS/, "ChromeOS"],
  [/Mac OS X|Macintosh/, "macOS"],
  [/Linux|X11/, "Linux"],
];

/** Browsers by what they add to the header. Those that also name another browser come first. */
const BROWSERS: [mark: RegExp, name: string][] = [
  [/Edg(e|A|iOS)?\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\/|FxiOS\//, "Firefox"],
  [/(Headless)?Chrom(e|ium)\/|CriOS\//, "Chrome"],
  [/Version\/.*Safari\//, "Safari"],
];

const nameIn = (list: [RegExp, string][], text: string) => list.find(([mark]) => mark.test(text))?.[1];

/** Returns the browser and the system of a `User-Agent` header in words, such as "Firefox on Linux", or the header if it names no browser. */
export function deviceOf(userAgent: string): string {
  const browser = nameIn(BROWSERS, userAgent);
  if (browser === undefined) return userAgent === "" ? "Unknown device" : userAgent;
  const system = nameIn(SYSTEMS, userAgent);
  return system === undefined ? browser : `${browser} on ${system}`;
}
