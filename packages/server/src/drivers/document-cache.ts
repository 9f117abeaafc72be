const MOST = 1_000;

/** JSON documents that are read often, each parsed once: a revision never changes. None of them may be changed. */
export class DocumentCache<Document> {
  readonly #documents = new Map<string, Document>();

  /** The document of a revision; undefined where it is not known. */
  get(revision: string): Document | undefined {
    return this.#documents.get(revision);
  }

  /** Parses the document of a revision and keeps it. */
  keep(revision: string, text: string): Document {
    const document = this.#documents.get(revision) ?? (JSON.parse(text) as Document);
    const [oldest] = this.#documents.size >= MOST ? this.#documents.keys() : [];
    if (oldest !== undefined) this.#documents.delete(oldest);
    this.#documents.set(revision, document);
    return document;
  }
}
