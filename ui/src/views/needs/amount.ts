import type { Extension, NeedAnswer, UsedUp } from "../../host/bindings";

export function fits(amount: number | null, { least, most, whole }: Extension): boolean {
  if (amount === null || !Number.isFinite(amount) || amount < least || amount > most) return false;
  return !whole || Number.isInteger(amount);
}

/** The new start, with so much more of what was used up. */
export function extending(of: UsedUp | null, amount: number | null): NeedAnswer {
  const only = (one: UsedUp) => (of === one ? amount : null);
  return {
    answer: "extend",
    iterations: only("iterations"),
    minutes: only("time"),
    money_usd: only("money"),
    tokens: only("tokens"),
    turns: only("turns"),
  };
}
