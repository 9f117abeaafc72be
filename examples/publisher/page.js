/**
 * The templates that a person can choose for a page. Each has the colours of the background, the text and the title, the font, and the
 * alignment of the title and text.
 */
export const TEMPLATES = {
  paper: { paper: "#faf5e9", ink: "#2f2a20", title: "#8a3b12", font: "Georgia, serif", align: "start" },
  night: {
    paper: "#12172b",
    ink: "#dfe4f7",
    title: "#ffd479",
    font: "system-ui, sans-serif",
    align: "start",
  },
  meadow: {
    paper: "#e6f3df",
    ink: "#1f3521",
    title: "#1c6b3a",
    font: "system-ui, sans-serif",
    align: "start",
  },
  poster: {
    paper: "#e8512f",
    ink: "#2a0a02",
    title: "#2a0a02",
    font: "system-ui, sans-serif",
    align: "center",
  },
};

/** Returns `name` if a template has this name, otherwise `paper`. The name may come from metadata that another program has stored. */
export const templateOf = (name) => (Object.hasOwn(TEMPLATES, name) ? name : "paper");

/** Escapes a text for HTML, so that the text of a person never becomes markup. */
const escaped = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Converts a block of lines to HTML: a heading if it begins with `#`, a list if all lines begin with `-`, otherwise a paragraph. */
function blockOf(block) {
  const lines = block.split("\n").map((line) => line.trim());
  if (lines.every((line) => line.startsWith("- ")))
    return `<ul>${lines.map((line) => `<li>${escaped(line.slice(2))}</li>`).join("")}</ul>`;
  if (lines.length === 1 && /^#+ /.test(block)) return `<h2>${escaped(block.replace(/^#+ +/, ""))}</h2>`;
  return `<p>${lines.map(escaped).join("<br>")}</p>`;
}

/** Converts a text to HTML. Its blocks end at empty lines, and each heading is a block. */
const bodyOf = (text) =>
  text
    .replace(/^#+ .*$/gm, "\n$&\n")
    .split(/\n\s*\n/)
    .map((block) => block.trim())
    .filter((block) => block !== "")
    .map(blockOf)
    .join("\n      ");

function styleOf({ paper, ink, title, font, align }) {
  return `
      * { box-sizing: border-box }
      body { margin: 0; background: ${paper}; color: ${ink}; font: 1.125rem/1.65 ${font}; text-align: ${align} }
      main { width: min(100%, 44rem); margin: 0 auto; padding: clamp(2rem, 10vh, 7rem) 1.5rem 4rem; overflow-wrap: anywhere }
      h1 { margin: 0 0 1.5rem; color: ${title}; font-size: clamp(2.25rem, 9vw, 4.25rem); line-height: 1.08; letter-spacing: -0.02em; text-wrap: balance }
      h2 { margin: 2.25rem 0 0.5rem; color: ${title}; font-size: 1.5rem; line-height: 1.25 }
      p, ul { margin: 0 0 1.125rem }
      ul { padding-inline-start: 1.25rem }
      ${align === "center" ? "ul { display: inline-block; text-align: start }" : ""}`;
}

/** Returns the HTML of a page. */
export function htmlOf({ title, text, template }) {
  const look = TEMPLATES[template];
  const description = escaped(text.replace(/\s+/g, " ").trim().slice(0, 160));
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="theme-color" content="${look.paper}">
    <meta name="description" content="${description}">
    <meta property="og:title" content="${escaped(title)}">
    <title>${escaped(title)}</title>
    <link rel="icon" href="icon.svg" type="image/svg+xml">
    <style>${styleOf(look)}
    </style>
  </head>
  <body>
    <main dir="auto">
      <h1>${escaped(title)}</h1>
      ${bodyOf(text)}
    </main>
  </body>
</html>
`;
}

/** Returns the icon of a page, in the colours of its template. */
function iconOf({ template }) {
  const { paper, title } = TEMPLATES[template];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${paper}"/><path d="M9 11h14M9 17h14M9 23h8" stroke="${title}" stroke-width="3" stroke-linecap="round"/></svg>`;
}

/** Returns the files of a page, which the SDK zips. */
export const bundleOf = (page) => ({ "index.html": htmlOf(page), "icon.svg": iconOf(page) });

/** Returns a page as one file, which contains its icon. */
export const fileOf = (page) =>
  htmlOf(page).replace(
    'href="icon.svg"',
    () => `href="data:image/svg+xml,${encodeURIComponent(iconOf(page))}"`,
  );
