/**
 * A value in the structured content of an answer as JSON text, such as a list that the service stores as text. `textOfObject` writes it as it
 * is, and `JSON.stringify` parses it first.
 */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** Returns the JSON text of an object. The values of its fields may be instances of `JsonText`. */
export function textOfObject(object: object): string {
  if (!Object.values(object).some((value) => value instanceof JsonText)) return JSON.stringify(object);
  let text = "";
  for (const [name, value] of Object.entries(object)) {
    const json = value instanceof JsonText ? value.text : JSON.stringify(value);
    if (json !== undefined) text += `${text === "" ? "{" : ","}${JSON.stringify(name)}:${json}`;
  }
  return `${text}}`;
}
