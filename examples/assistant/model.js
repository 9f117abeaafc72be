/**
 * The id of the model that answers. You can put another id here if the setting `SERVICE_AI_MODELS` of the service allows that model. By
 * default, this setting allows the provider's current models.
 */
export const MODEL = "claude-haiku-5-5";

/** The instructions for the model. The page shows paragraphs, **bold** text, `code` and code blocks, and no other markup. */
export const SYSTEM =
  "You are a friendly assistant. Answer briefly and clearly, in the language of the question. Write plain text in short paragraphs. " +
  "Put code between lines of three backticks. Do not use headings, tables or links in Markdown.";

/** The maximum number of tokens of an answer; the service accepts up to 8192. */
export const MAX_TOKENS = 4096;
