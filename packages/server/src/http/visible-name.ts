/**
 * Characters that have no place in a name: controls and halves of characters, line and paragraph separators, marks that change the direction of
 * what follows, and what looks like nothing, such as zero-width spaces, tags, fillers of Hangul and the blank of Braille.
 */
const HIDDEN =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u2800\ufff9-\ufffb\u{1d159}]|(?!\u200c|\u200d|\ufe0e|\ufe0f)\p{Default_Ignorable_Code_Point}/gu;

/** A variation selector and joiners, which emoji and Persian need, with the characters around them. */
const JOINED =
  /((?!\ufe0e|\ufe0f)[\p{L}\p{M}\p{N}\p{S}])?((?:\u200c|\u200d|\ufe0e|\ufe0f)+)(?:((?=[\p{L}\p{M}\p{N}\p{S}]))|)/gu;

/** Matches a name of which a reader sees something: not only spaces and marks. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Keeps one selector behind a character, and one joiner between two. */
function joined(_: string, before: string | undefined, run: string, after: string | undefined): string {
  if (before === undefined) return "";
  const [selector = ""] = /^(?:\ufe0e|\ufe0f)/.exec(run) ?? [];
  const [joiner = ""] = after === undefined ? [] : (/\u200c|\u200d/.exec(run) ?? []);
  return before + selector + joiner;
}

/**
 * Returns a name of a person, a team, a token or an organisation as it is stored and shown: without characters that a reader does not see or that change how
 * the text around it reads, and without spaces around it. Empty if nothing is left to see.
 */
export function visibleName(given: string): string {
  const name = given.toWellFormed().replace(HIDDEN, "").replace(JOINED, joined).trim();
  return VISIBLE.test(name) ? name : "";
}
