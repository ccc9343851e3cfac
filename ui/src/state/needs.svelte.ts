import type { Failure, Need, NeedAnswer } from "../host/bindings";
import { asFailure } from "../host/failure";
import type { Host } from "../host/host";
import { fill, t } from "../words/language.svelte";
import { headline } from "../words/need-phrases";
import { failureText } from "../words/phrases";
import type { Announcer } from "./announcer.svelte";
import type { Catalog } from "./catalog.svelte";
import { isAside } from "./list-marks";
import { Query, Read } from "./query.svelte";
import type { TrustAgain } from "./trust-again.svelte";
import type { VerbGuard } from "./verb-guard";

/** A person's unfinished answers. They outlive the card: cards come and go with drawers and tabs. */
export class AnswerDraft {
  /** The answer to a question. */
  text = $state("");
  /** The note to a refusal, and whether it is being written. */
  note = $state("");
  noting = $state(false);
  /** The whole input of a permission, once it was asked for. */
  readonly input: Query<string>;
  /** How much more of what is used up; nothing before it was proposed. */
  amount: number | null = $state(null);
  proposed = false;

  constructor(readInput: () => Promise<string>) {
    this.input = new Query(readInput);
  }
}

/** What waits for the person, of all loops: the backend's list, and the answers that are on their way. */
export class NeedsState extends Read<readonly Need[]> {
  /** Oldest first. Where it could not be read again, what was known before. */
  readonly all: readonly Need[] = $derived(this.value ?? []);
  /** Those of loops that are in the list: of one that was put aside, what it asked before waits with it. */
  readonly listed: readonly Need[] = $derived.by(() => this.#ofListed());
  readonly #keys: string = $derived([...new Set(this.all.map(({ key }) => key))].sort().join("\n"));
  /** Loops that ask something. The same set as long as they are the same loops: the list is arranged by it. */
  readonly asking: ReadonlySet<string> = $derived(new Set(this.#keys.split("\n")));
  /** Loops with a live process of ours. */
  running = $state(0);
  /** The drawer with the cards of all loops is open. */
  open = $state(false);
  /** The loop whose card takes the focus as soon as it is shown. */
  wantedKey: string | null = null;
  /** What went wrong with an answer, by need. */
  failures: Readonly<Record<string, Failure>> = $state.raw({});
  /** Answers on their way. */
  sending: ReadonlySet<string> = $state.raw(new Set());

  /** Asks whether a repository that changed is trusted as it is now. */
  trustAgain: TrustAgain | null = null;
  /** An answer went wrong and its card is gone: it has to be said somewhere else. */
  onlost: (text: string) => void = () => undefined;

  readonly #host: Host;
  readonly #catalog: Catalog;
  readonly #announcer: Announcer;
  readonly #guard: VerbGuard;
  readonly #drafts = new Map<string, AnswerDraft>();
  /** The backend's counter that `all` belongs to, and the newest that was heard of. */
  #read = 0;
  #newestCount = 0;
  /** Answered here: that they are gone is no news. */
  readonly #answered = new Set<string>();

  constructor(host: Host, catalog: Catalog, announcer: Announcer, guard: VerbGuard) {
    super();
    this.#host = host;
    this.#catalog = catalog;
    this.#announcer = announcer;
    this.#guard = guard;
    catalog.onPulled(({ needs }) => {
      this.#newestCount = needs;
      if (needs !== this.#read) void this.read();
    });
  }

  of(key: string): Need[] {
    return this.all.filter((need) => need.key === key);
  }

  #ofListed(): readonly Need[] {
    void this.#catalog.version;
    const listed = this.all.filter(({ key }) => {
      const row = this.#catalog.cell(key)?.row;
      return row === undefined || !isAside(row);
    });
    return listed.length === this.all.length ? this.all : listed;
  }

  /** The unfinished answer to this need; the same object as long as the need waits. */
  draft(id: string): AnswerDraft {
    const draft = this.#drafts.get(id) ?? new AnswerDraft(() => this.#readInput(id));
    this.#drafts.set(id, draft);
    return draft;
  }

  protected async readOnce(): Promise<Need[]> {
    const risen = this.#newestCount;
    // Where it fails, the next change of anything tries again.
    const { needs, running } = await this.#host.runs.needs();
    this.#tell(needs);
    this.running = running;
    this.#read = risen;
    return needs;
  }

  #tell(needs: readonly Need[]): void {
    const known = new Set(this.all.map((need) => need.id));
    const present = new Set(needs.map((need) => need.id));
    const gone = this.all.filter((need) => !present.has(need.id));
    this.#tellNew(needs.filter((need) => !known.has(need.id)));
    for (const { id, title } of gone) {
      if (!this.#answered.delete(id)) this.#announcer.say(fill(t.needs.withdrawn, { title }));
      this.#drafts.delete(id);
      this.dismissFailure(id);
    }
  }

  /** Said once, when it comes; several at a time are one message. */
  #tellNew(fresh: readonly Need[]): void {
    const [first] = fresh;
    if (!first) return;
    const text = fill(t.needs.announced, { title: first.title, text: headline(first) });
    const count = fresh.length - 1;
    this.#announcer.sayNow(count === 0 ? text : fill(t.needs.announcedMore, { text, count }));
  }

  /** Sends an answer, once. Answers whether it was taken. */
  async answer(need: Need, answer: NeedAnswer): Promise<boolean> {
    // The next card moves up under the pointer: the second half of a double click must not allow what it asks.
    this.#guard.noteVerb();
    if (this.sending.has(need.id)) return false;
    this.dismissFailure(need.id);
    this.sending = new Set([...this.sending, need.id]);
    try {
      if (!(await this.#mayGoOn(need, answer))) return false;
      await this.#host.runs.answer(need.id, answer);
      this.#answered.add(need.id);
      this.#announcer.say(fill(t.needs.answered, { title: need.title }));
      await this.read();
      return true;
    } catch (reason) {
      await this.read();
      const failure = asFailure(reason);
      if (this.all.some(({ id }) => id === need.id)) {
        this.failures = { ...this.failures, [need.id]: failure };
      } else this.onlost(fill(t.units.labelled, { name: need.title, value: failureText(failure) }));
      return false;
    } finally {
      this.sending = new Set([...this.sending].filter((id) => id !== need.id));
    }
  }

  /** What failed because the repository changed would fail again, as long as that is not trusted. */
  async #mayGoOn(need: Need, { answer }: NeedAnswer): Promise<boolean> {
    const changed = need.kind === "failed" && need.args.code === "repository_changed";
    if (!this.trustAgain || !changed || answer === "dismiss" || answer === "stop") return true;
    const args = { path: need.folder, what: need.text };
    if (!(await this.trustAgain.ask({ kind: "repository_changed", args, refusal: null }))) return false;
    await this.#host.runs.trust(need.folder, true);
    return true;
  }

  /** Whether it still waits is seen with it. */
  async #readInput(id: string): Promise<string> {
    try {
      return await this.#host.runs.needInput(id);
    } finally {
      void this.read();
    }
  }

  dismissFailure(id: string): void {
    if (!Object.hasOwn(this.failures, id)) return;
    this.failures = Object.fromEntries(Object.entries(this.failures).filter(([other]) => other !== id));
  }
}
