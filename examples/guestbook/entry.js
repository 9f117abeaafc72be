const element = (id) => document.getElementById(id);

/** Returns in words how long ago a date was, such as “3 hours ago”. From one week on, returns the date itself, such as “March 4, 2026”. */
function ago(date) {
  const minutes = Math.max(0, Math.floor((Date.now() - date) / 60_000));
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  if (minutes < 1) return "just now";
  if (minutes < 60) return format.format(-minutes, "minute");
  if (minutes < 24 * 60) return format.format(-Math.floor(minutes / 60), "hour");
  if (minutes < 7 * 24 * 60) return format.format(-Math.floor(minutes / (24 * 60)), "day");
  return date.toLocaleDateString("en", { dateStyle: "long" });
}

/** Shows in the element of an entry how long ago the entry was written or last changed. */
export function drawTime(item) {
  const time = item.querySelector("time");
  const date = new Date(Number(item.dataset.version));
  time.dateTime = date.toISOString();
  time.title = date.toLocaleString("en", { dateStyle: "full", timeStyle: "short" });
  time.textContent = ago(date);
}

/** Returns the text of an entry as a string, even if another program has stored something else. */
export const textOf = ({ value }) => String(Object(value).text ?? "");

/**
 * Creates the element of an entry. `name` is the author's name. `may.update` and `may.delete` say whether the viewer may change and remove
 * the entry.
 */
export function drawEntry(record, name, may) {
  const item = element("entry").content.firstElementChild.cloneNode(true);
  const part = (selector) => item.querySelector(selector);
  const letters = [...name];
  const tone = letters.reduce((sum, letter) => sum + letter.codePointAt(0), 0) % 5;
  item.dataset.id = record.id;
  item.dataset.version = record.updatedAt;
  part(".initial").textContent = letters[0].toUpperCase();
  part(".initial").classList.add(`tone-${tone}`);
  part(".name").textContent = name;
  part(".text").textContent = textOf(record);
  for (const each of item.querySelectorAll(".which")) each.textContent = ` the entry by ${name}`;
  part(".edit").hidden = !may.update;
  part(".remove").hidden = !may.delete;
  drawTime(item);
  return item;
}
