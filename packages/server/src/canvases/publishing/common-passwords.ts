/*
 * What people choose for a password if nothing stops them. Lists of leaked passwords are mostly variations of few words: these are refused
 * with every ending of digits and signs, with letters written as digits, and repeated.
 */
const WORDS = new Set(
  `abc abcd abcde abcdef abcabc access admin administrator alexander america andrea andrew angel anthony arsenal asdfgh asdfghjkl ashley asshole austin
  babygirl badboy banana barcelona baseball basketball batman benjamin bigdog biteme blink blessed bonjour brandon bubbles buster butterfly
  canvas carlos caroline changeit changeme charles charlie charlotte cheese chelsea chester chicken chocolate chris christian
  christopher computer confidential cookie corvette cowboys cristina daniel daniela danielle default demo diamond dolphin donald dragon
  easel elephant elizabeth eminem estrella everton family ferrari fishing flower football forever fortnite freedom friend friends fuckme
  fuckoff fuckyou gabriel gateway george geheim gemini ginger giants guest guitar hallo hannah happy hardcore harley heather hello
  helloworld hockey hotmail hunter iloveu iloveyou internet ironman jackson jasmine jasper jennifer jessica jesus jonathan jordan joseph
  joshua justin killer kitty ladybug lakers letmein linkedin liverpool login loveme lovely loveyou madison maggie manchester marina
  martin master matrix matthew maverick melissa mercedes merlin metallica michael michelle microsoft midnight mickey minecraft
  monday monkey monster mother mustang mypassword mynoob naruto natasha newyork nicholas nicole nintendo nothing november october
  oliver orange pakistan passion passwd passwort pass password patrick peanut pepper phoenix player please pokemon prince princess
  private public purple qazwsx qwe qweasd qweasdzxc qwer qwert qwerty qwertyuiop qwertz qwertzuiop rainbow ranger rebecca
  remember richard robert rockstar ronaldo root samantha samsung samuel scooter secret secure september server service shadow silver
  slipknot snoopy soccer spiderman spring starwars station stephanie steven success summer sunflower sunshine superman superstar sweety
  swordfish taylor temp temporary teresa test tester testing thomas thunder tigger tinkerbell topsecret trustno twitter united user
  valentina vanessa veronica victoria vincent virginia welcome whatever william willkommen windows winter wordpass yankees yellow zaq
  zaqwsx zxcvbn zxcvbnm`.split(/\s+/),
);

/** The orders of digits, and the rows and columns of keyboards. A part of one, in either direction, is a common password. */
const ORDERS = [
  "01234567890123456789",
  "qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiopasdfghjklyxcvbnm",
  "azertyuiopqsdfghjklmwxcvbn",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
  "1q2w3e4r5t6y7u8i9o0p",
  "zaq12wsxcde34rfv",
];

const LETTERS: Record<string, string> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
  "!": "i",
};

const plain = (text: string): string => text.replace(/[013457@$!]/g, (sign) => LETTERS[sign] as string);

/** The length from which the same few characters again and again are not among the first that are tried. */
const LONG = 17;

/** Whether a text is the same few characters again and again, such as `aaaaaaaa` and `abcabcabc`. */
const isRepeated = (text: string): boolean => text.length < LONG && /^(.{1,4})\1+.{0,3}$/s.test(text);

const isInOrder = (text: string): boolean =>
  text !== "" && ORDERS.some((order) => order.includes(text) || [...order].reverse().join("").includes(text));

/** Returns a text without what is not a letter at its ends, where `@` and `$` stand for letters. */
function core(text: string): string {
  const places = [...text].flatMap((sign, place) => (/[a-z@$]/.test(sign) ? [place] : []));
  return [...text].slice(places[0] ?? 0, (places.at(-1) ?? -1) + 1).join("");
}

/** Whether a password is among the most common ones, in any letter case, and so among the first that an attacker tries. */
export function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase().replace(/[\s_.-]/g, "");
  const letters = core(text);
  const half = letters.slice(0, letters.length / 2);
  const words = [letters, plain(letters), plain(text), ...(letters === half + half ? [half] : [])];
  return isRepeated(text) || isInOrder(text) || words.some((word) => WORDS.has(word) || isInOrder(word));
}
