import type { AttentionRule, RuleKind, RuleTrial } from "../../host/bindings";
import type { Host } from "../../host/host";
import { Deed } from "../../state/deed.svelte";
import { Query, Read } from "../../state/query.svelte";

export const RULE_KINDS: readonly RuleKind[] = ["stalled", "no_activity", "cost", "failing_tests"];

/** A number to begin with, for each kind. */
const USUAL: Readonly<Record<RuleKind, number>> = { stalled: 30, no_activity: 15, cost: 5, failing_tests: 3 };

/** A rule in the form, and what it would have done. */
export class EditedRule {
  kind: RuleKind = $state("stalled");
  limit: number | null = $state(30);
  /** Empty for all workspaces. */
  workspace = $state("");
  /** What it would have done. */
  readonly trial: Query<RuleTrial, AttentionRule>;

  constructor(host: Host, rule?: AttentionRule) {
    this.trial = new Query((tried) => host.tryAttentionRule(tried));
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
}

/** The rules as the person edits them. */
export class EditedRules extends Read<readonly EditedRule[]> {
  /** Keeps them. */
  readonly deed = new Deed();

  readonly #host: Host;

  constructor(host: Host) {
    super();
    this.#host = host;
  }

  protected async readOnce(): Promise<EditedRule[]> {
    return (await this.#host.attentionRules()).map((rule) => new EditedRule(this.#host, rule));
  }

  add(): void {
    this.value = [...(this.value ?? []), new EditedRule(this.#host)];
  }

  remove(rule: EditedRule): void {
    this.value = (this.value ?? []).filter((one) => one !== rule);
  }

  /** Keeps them. Answers whether they are kept. */
  async save(): Promise<boolean> {
    const rules = (this.value ?? []).map((one) => one.rule);
    if (rules.some((rule) => rule === null)) return false;
    return this.deed.do(() => this.#host.saveAttentionRules(rules.filter((rule) => rule !== null)));
  }
}
