/*
 * Browsers send the cookies of `localhost` to every port. Cookies of the service therefore get the port as a suffix of their names in the
 * browser, so that two services on one computer do not sign each other's people out.
 */

/** Converts a `Cookie` header from the browser: keeps the cookies that have the suffix of this port, and removes the suffix. */
export function cookiesForService(header: string | undefined, port: number): string {
  const suffix = `_${port}`;
  return (header ?? "")
    .split(";")
    .flatMap((each) => {
      const [name = "", ...value] = each.trim().split("=");
      return name.endsWith(suffix) ? [`${name.slice(0, -suffix.length)}=${value.join("=")}`] : [];
    })
    .join("; ");
}

/** Converts a `Set-Cookie` header of the service for the browser: adds the suffix of this port to the name. */
export const cookieForBrowser = (setCookie: string, port: number): string =>
  setCookie.replace(/^[^=;]*/, (name) => `${name}_${port}`);
