const UNITS = ["bytes", "KB", "MB", "GB", "TB"];

const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** Returns a number of bytes in words, such as "1.2 MB". Units are powers of 1024, as in the quotas of the service. */
export function bytesOf(count: number): string {
  if (count === 1) return "1 byte";
  let amount = count;
  let unit = 0;
  while (Math.round(amount) >= 1024 && unit < UNITS.length - 1) {
    amount /= 1024;
    unit++;
  }
  return `${(unit === 0 ? whole : short).format(amount)} ${UNITS[unit]}`;
}
