/** Builds the parts of a streamed response in the format of one provider. Each method returns the text that is sent. */
export interface Wire {
  begin(): string;
  text(text: string): string;
  think(text: string): string;
  error(message: string): string;
  /** Returns the end of the response. It contains numbers of tokens if `told` is true. */
  end(told: boolean): string;
}
