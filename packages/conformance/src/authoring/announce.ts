import { type Answer, read, start } from "../http.ts";
import { pageHeaders } from "../page.ts";
import type { Person, Target } from "../target.ts";
import { bundlePart, FORM_TYPE, formOf, metadataPart } from "./form.ts";

/**
 * Sends only the beginning of a request such as `POST /authoring` from the page of the canvas `slug`: the headers and the first 100 bytes
 * of the form. Returns the response. Rejects if the service waits for the rest of the form before it responds.
 */
export function announce(
  target: Target,
  slug: string,
  person: Person,
  method: string,
  path: string,
): Promise<Answer> {
  const form = formOf([metadataPart({ title: "Held" }), bundlePart(Buffer.alloc(10_000))]);
  const request = start(
    target.base,
    {
      method,
      path: `/v1/c/${slug}${path}`,
      headers: [
        ...person.headers,
        ...pageHeaders(target, slug),
        ["Content-Type", FORM_TYPE],
        ["Content-Length", String(form.length)],
      ],
    },
    false,
  );
  request.write(form.subarray(0, 100));
  return new Promise<Answer>((resolve, reject) => {
    request.on("response", (response) => read(response).then(resolve, reject));
    request.on("timeout", () => request.destroy(new Error("no answer to the beginning of a form")));
    request.on("error", reject);
  }).finally(() => request.destroy());
}
