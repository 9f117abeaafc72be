/**
 * Loads the style sheets at these paths again, without a reload of the page. An old one is removed when the new one is loaded, so that the
 * page is never without styles. Reloads the page if it does not link to one of them, because another style sheet may import it.
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
