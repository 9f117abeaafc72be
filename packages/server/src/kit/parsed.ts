const MOST = 1_000;

/** JSON documents that are read often, each parsed once: a revision never changes. */
export class Parsed<Document> {
  readonly #documents = new Map<string, Document>();

  /** The document of a revision; `read` answers its text where it is not known. Never to be changed. */
  async of(revision: string, read: () => Promise<string>): Promise<Document> {
    const known = this.#documents.get(revision);
    if (known !== undefined) return known;
    const document = JSON.parse(await read()) as Document;
    const [oldest] = this.#documents.size >= MOST ? this.#documents.keys() : [];
    if (oldest !== undefined) this.#documents.delete(oldest);
    this.#documents.set(revision, document);
    return document;
  }
}
