const INDEX = "index.html";
const PAGE = /\.html?$/i;

interface File {
  path: string;
}

/**
 * Returns the HTML page whose content can be copied to `index.html`, or undefined if the bundle has no such page. The page must be the only
 * one, and at the top of the bundle, so that its relative links work in `index.html` too.
 */
function onlyPage<Page extends File>(files: Page[]): Page | undefined {
  // On some file systems, an existing `Index.html`, or a folder of this name, would be the same file as the added `index.html`.
  if (files.some(({ path }) => path.split("/")[0]?.toLowerCase() === INDEX)) return undefined;
  const [page, ...others] = files.filter(({ path }) => PAGE.test(path));
  const isStart = others.length === 0 && page?.path.includes("/") === false && page.path !== "404.html";
  return isStart ? page : undefined;
}

/**
 * If there is no `index.html`, adds one with the content of the only HTML page. `warnings` says that this was done, or that the canvas has
 * no start page.
 */
export function withStartPage<Page extends File>(files: Page[]): { files: Page[]; warnings: string[] } {
  if (files.some(({ path }) => path === INDEX)) return { files, warnings: [] };
  const page = onlyPage(files);
  if (page === undefined) {
    const warning = "The bundle has no `index.html` at its top, so the canvas has no start page.";
    return { files, warnings: [warning] };
  }
  const warning = `The bundle has no \`index.html\`, so its only page, \`${page.path}\`, is served as \`index.html\` too.`;
  return { files: [...files, { ...page, path: INDEX }], warnings: [warning] };
}

/** Returns warnings about paths that are likely to be in the bundle by mistake. */
export const pathWarnings = (files: File[]): string[] =>
  files.some(({ path }) => /(^|\/)node_modules\//.test(path))
    ? ["The bundle has a `node_modules` folder. Deploy the output of the build, not the project."]
    : [];
