/** Delays in ms after which a picture that did not load is requested again. The service may refuse it if there are too many requests. */
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
    // Requests the picture again, unless the element shows another photo by now.
    if (image.isConnected && image.src === address) image.src = address;
  }, AGAIN_MS[count]);
}

/** Follows the pictures below an element: marks their parent elements as `loaded` or `broken`, and requests failed pictures again. */
export function letLoad(element) {
  // The listeners are called in the capture phase, because `load` and `error` do not bubble.
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

/** Shows the picture with this URL in an image element. If the URL is null, marks the picture as broken. */
export function show(image, address) {
  tries.delete(image);
  image.parentElement.dataset.state = address === null ? "broken" : "loading";
  if (address === null) image.removeAttribute("src");
  else image.src = address;
}
