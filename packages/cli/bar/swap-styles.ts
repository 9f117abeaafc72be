/**
 * Reloads the style sheets at the given URL paths without a reload of the page. Removes an old style sheet when the new one has loaded, so
 * that the page always has styles. If the page does not link to one of the paths, reloads the page, because another style sheet may import
 * that path.
 */
export function swapStyles(paths: string[]): void {
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel~="stylesheet"][href]')];
  const byPath = paths.map((path) => links.filter(({ href }) => pathOf(href) === path));
  if (byPath.some((found) => found.length === 0)) {
    location.reload();
    return;
  }
  for (const link of byPath.flat()) {
    const fresh = link.cloneNode() as HTMLLinkElement;
    const url = new URL(link.href);
    url.searchParams.set("easel-dev", String(Date.now()));
    fresh.href = url.href;
    fresh.addEventListener("load", () => link.remove());
    fresh.addEventListener("error", () => fresh.remove());
    link.after(fresh);
  }
}

const pathOf = (href: string): string | undefined => URL.parse(href, location.href)?.pathname;
