const DONE = { state: "done", problem: "", usage: null, cost: null };

/** Returns a made-up conversation. The page shows it while nobody can ask, so that people see what it does. It is not stored. */
export const sampleTurns = () => [
  {
    ...DONE,
    id: "sample-1",
    question: "What can I cook with lentils and lemons?",
    answer:
      "A **lemon lentil soup**. Soften an onion in oil, add a cup of red lentils and four cups of broth, and let it simmer for 20 minutes.\n\n" +
      "Stir in the juice of a lemon at the end, because heat takes its freshness.",
  },
  {
    ...DONE,
    id: "sample-2",
    question: "How do I scale that for six people in JavaScript?",
    answer:
      "Multiply each amount by six and divide it by the number of people that the recipe is for:\n\n" +
      "```js\nconst scaled = amounts.map((amount) => (amount * 6) / people);\n```",
  },
];
