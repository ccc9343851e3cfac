import type { AttentionRule, Failure, RuleKind, RuleTrial } from "../../host/bindings";
import { asFailure } from "../../host/failure";
import type { Host } from "../../host/host";
import { Turns } from "../../state/turns";

export const RULE_KINDS: readonly RuleKind[] = ["stalled", "no_activity", "cost", "failing_tests"];

/** A number to begin with, for each kind. */
const USUAL: Readonly<Record<RuleKind, number>> = { stalled: 30, no_activity: 15, cost: 5, failing_tests: 3 };

/** A rule in the form, and what it would have done. */
export class EditedRule {
  kind: RuleKind = $state("stalled");
  limit: number | null = $state(30);
  /** Empty for all workspaces. */
  workspace = $state("");
  trial: RuleTrial | null = $state.raw(null);
  failure: Failure | null = $state.raw(null);

  readonly #host: Host;
  readonly #turns = new Turns(() => this.#once());

  constructor(host: Host, rule?: AttentionRule) {
    this.#host = host;
    if (!rule) return;
    [this.kind, this.limit, this.workspace] = [rule.kind, rule.limit, rule.workspace ?? ""];
  }

  /** The rule as it is kept; null while its number cannot be compared with. */
  get rule(): AttentionRule | null {
    const { kind, limit, workspace } = this;
    if (limit === null || !Number.isFinite(limit) || limit <= 0) return null;
    return { kind, limit, workspace: workspace === "" ? null : workspace };
  }

  choose(kind: RuleKind): void {
    this.kind = kind;
    this.limit = USUAL[kind];
  }

  /** Tries it on the past. */
  attempt(): Promise<void> {
    return this.#turns.take();
  }

  async #once(): Promise<void> {
    const { rule } = this;
    this.trial = null;
    if (!rule) return;
    try {
      this.trial = await this.#host.tryAttentionRule(rule);
      this.failure = null;
    } catch (reason) {
      this.failure = asFailure(reason);
    }
  }
}

/** The rules as the person edits them. */
export class EditedRules {
  /** Nothing before they were read. */
  all: readonly EditedRule[] | null = $state.raw(null);
  failure: Failure | null = $state.raw(null);

  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  async read(): Promise<void> {
    this.failure = null;
    try {
      this.all = (await this.#host.attentionRules()).map((rule) => new EditedRule(this.#host, rule));
    } catch (reason) {
      this.failure = asFailure(reason);
    }
  }

  add(): void {
    this.all = [...(this.all ?? []), new EditedRule(this.#host)];
  }

  remove(rule: EditedRule): void {
    this.all = (this.all ?? []).filter((one) => one !== rule);
  }

  /** Keeps them. Answers whether they are kept. */
  async save(): Promise<boolean> {
    const rules = (this.all ?? []).map((one) => one.rule);
    if (rules.some((rule) => rule === null)) return false;
    try {
      await this.#host.saveAttentionRules(rules.filter((rule) => rule !== null));
      return true;
    } catch (reason) {
      this.failure = asFailure(reason);
      return false;
    }
  }
}
