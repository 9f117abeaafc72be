const INDEX = "index.html";
const PAGE = /\.html?$/i;

interface File {
  path: string;
}

/** Returns the only page of a bundle if it can be its start page: it is at the top, where relative addresses mean the same. */
function onlyPage<Page extends File>(files: Page[]): Page | undefined {
  // An `Index.html` or a folder of that name would be the same file on some file systems.
  if (files.some(({ path }) => path.split("/")[0]?.toLowerCase() === INDEX)) return undefined;
  const [page, ...others] = files.filter(({ path }) => PAGE.test(path));
  const isStart = others.length === 0 && page?.path.includes("/") === false && page.path !== "404.html";
  return isStart ? page : undefined;
}

/** Adds `index.html` to files without one, with the content of their only page. `warnings` says so, or that there is no start page. */
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
