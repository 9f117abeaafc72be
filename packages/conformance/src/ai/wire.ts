/** The texts by which a provider streams one response. */
export interface Wire {
  begin(): string;
  text(text: string): string;
  think(text: string): string;
  error(message: string): string;
  /** `told` is false for a response that tells no usage. */
  end(told: boolean): string;
}
