/** A staged deploy that has not been finished: of which files (`manifestOf`), to which canvas, by its id on the service. */
export interface Unfinished {
  manifest: string;
  canvasId: string;
  deploy: string;
}

const NAME = "easel.deploys";
/** The number of deploys that are remembered. The service ends each after an hour. */
const MAX = 10;

const isText = (value: unknown): value is string => typeof value === "string" && /^[\w-]{1,100}$/.test(value);

const isUnfinished = (value: unknown): value is Unfinished => {
  const { manifest, canvasId, deploy } = (value ?? {}) as Record<string, unknown>;
  return isText(manifest) && isText(canvasId) && isText(deploy);
};

/**
 * Parses stored deploys. In path mode, pages of canvases can write the same storage, so this is a hint only: the service knows whose deploy
 * it is and which files it has.
 */
export function parseUnfinished(text: string | null): Unfinished[] {
  try {
    const parsed: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(parsed) ? parsed.filter(isUnfinished).slice(-MAX) : [];
  } catch {
    return [];
  }
}

function stored(): Unfinished[] {
  try {
    return parseUnfinished(localStorage.getItem(NAME));
  } catch {
    // The browser allows no storage.
    return [];
  }
}

function store(deploys: readonly Unfinished[]): void {
  try {
    localStorage.setItem(NAME, JSON.stringify(deploys.slice(-MAX)));
  } catch {
    // A closed tab will begin anew.
  }
}

/** Returns the unfinished deploys of these files, the last one first. */
export const unfinishedOf = (manifest: string): Unfinished[] =>
  stored()
    .filter((each) => each.manifest === manifest)
    .reverse();

/** Remembers a deploy, so that the same files go on with it after the tab was closed. */
export const remember = (unfinished: Unfinished): void =>
  store([...stored().filter(({ deploy }) => deploy !== unfinished.deploy), unfinished]);

export const forget = (deploy: string): void => store(stored().filter((each) => each.deploy !== deploy));
