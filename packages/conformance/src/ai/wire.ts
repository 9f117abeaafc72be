/** Builds the parts of a streamed response in the format of one provider. Each method returns the text that is sent. */
export interface Wire {
  begin(): string;
  text(text: string): string;
  think(text: string): string;
  error(message: string): string;
  /**
   * Returns the end of the response. If `told` is true, it reports the numbers of tokens. Otherwise it reports none (OpenAI) or 0 output
   * tokens (Anthropic).
   */
  end(told: boolean): string;
}
