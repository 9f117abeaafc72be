/** Delays after which a picture that did not load is requested again: requests are limited to a number a minute. */
const AGAIN_MS = [5000, 20_000, 60_000];

const tries = new WeakMap();

function failed(image) {
  const count = tries.get(image) ?? 0;
  const address = image.src;
  if (count === AGAIN_MS.length) {
    image.parentElement.dataset.state = "broken";
    return;
  }
  tries.set(image, count + 1);
  setTimeout(() => {
    // Unless the element shows another photo by now.
    if (image.isConnected && image.src === address) image.src = address;
  }, AGAIN_MS[count]);
}

/** Marks the parents of pictures below an element as `loading`, `loaded` or `broken`, and loads pictures that failed again. */
export function letLoad(element) {
  // These events do not bubble.
  element.addEventListener(
    "load",
    ({ target }) => {
      if (target.matches("img")) target.parentElement.dataset.state = "loaded";
    },
    true,
  );
  element.addEventListener(
    "error",
    ({ target }) => {
      if (target.matches("img")) failed(target);
    },
    true,
  );
}

/** Shows a picture in an image; null for a file that is none. */
export function show(image, address) {
  tries.delete(image);
  image.parentElement.dataset.state = address === null ? "broken" : "loading";
  if (address === null) image.removeAttribute("src");
  else image.src = address;
}
