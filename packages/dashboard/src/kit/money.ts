const cents = new Intl.NumberFormat("en", { style: "currency", currency: "USD" });
const small = new Intl.NumberFormat("en", {
  style: "currency",
  currency: "USD",
  minimumFractionDigits: 4,
});

/** Returns an amount of US dollars in words, such as "$12.30". Less than a dollar has four digits, because one request costs little. */
export const dollarsOf = (amount: number): string =>
  (amount > 0 && amount < 1 ? small : cents).format(amount);
