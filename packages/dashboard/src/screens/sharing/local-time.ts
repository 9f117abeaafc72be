const two = (n: number) => String(n).padStart(2, "0");

/** Returns a time as the value of a field for a local date and time, such as `2027-03-03T17:00`. */
export function toLocal(at: number): string {
  const date = new Date(at);
  const day = [String(date.getFullYear()).padStart(4, "0"), two(date.getMonth() + 1), two(date.getDate())];
  return `${day.join("-")}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Returns the time in epoch milliseconds of such a value, or null if it is none. */
export function fromLocal(value: string): number | null {
  const at = new Date(value).getTime();
  return value === "" || Number.isNaN(at) ? null : at;
}

/** The name of the zone of local times, such as `Europe/Berlin`. */
export const zoneName = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
