/** Returns the address of a canvas as people read it: without `https://`. */
export const shortAddress = (url: string): string => url.replace(/^https?:\/\//, "");

/** Returns the address that a canvas would have with another slug, without `https://`. The slug is the first label of the host or the last folder. */
export function addressWith(url: string, slug: string, to: string): string {
  const address = shortAddress(url);
  const at = address.endsWith(`/${slug}/`) ? address.length - slug.length - 1 : 0;
  return address.slice(0, at) + to + address.slice(at + slug.length);
}

/** The address of a file of a version, which the browser downloads. */
export const fileAddress = (id: string, version: string, path: string): string =>
  `/api/canvases/${id}/versions/${version}/file?path=${encodeURIComponent(path)}`;
