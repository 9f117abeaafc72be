const MAX_DOCUMENTS = 1_000;

/** Caches parsed JSON documents by revision. The document of a revision never changes, and callers must not modify the returned object. */
export class DocumentCache<Document> {
  readonly #documents = new Map<string, Document>();

  /** Returns the document of a revision, or undefined if it is not cached. */
  get(revision: string): Document | undefined {
    return this.#documents.get(revision);
  }

  /** Returns the cached document of a revision. If there is none, parses `text` and caches the result. */
  keep(revision: string, text: string): Document {
    const document = this.#documents.get(revision) ?? (JSON.parse(text) as Document);
    const [oldest] = this.#documents.size >= MAX_DOCUMENTS ? this.#documents.keys() : [];
    if (oldest !== undefined) this.#documents.delete(oldest);
    this.#documents.set(revision, document);
    return document;
  }
}
