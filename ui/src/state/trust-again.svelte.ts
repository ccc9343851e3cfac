import type { Failure } from "../host/bindings";
import { asFailure } from "../host/failure";
import type { Host } from "../host/host";
import type { RunHost } from "../host/run-host";

/** A folder that is to be trusted as it is now, and who waits for the answer. */
interface Question {
  readonly failure: Failure;
  readonly asked: Promise<boolean>;
  readonly answer: (trusts: boolean) => void;
}

/**
 * A repository is not what it was when its folder was trusted, and something was asked for that needs it. The person says whether the
 * folder is trusted as it is now; one question at a time.
 */
export class TrustAgain {
  #questions: readonly Question[] = $state.raw([]);

  /** What is asked about; null: nothing. */
  get asked(): Failure | null {
    return this.#questions[0]?.failure ?? null;
  }

  /** Asks, or waits for the answer where the same is asked already. */
  ask(failure: Failure): Promise<boolean> {
    const known = this.#questions.find((one) => isSame(one.failure, failure));
    if (known) return known.asked;
    let answer: (trusts: boolean) => void = () => undefined;
    const asked = new Promise<boolean>((resolve) => (answer = resolve));
    this.#questions = [...this.#questions, { failure, asked, answer }];
    return asked;
  }

  /** What the person says to the question that is shown. */
  answer(trusts: boolean): void {
    const [first, ...rest] = this.#questions;
    this.#questions = rest;
    first?.answer(trusts);
  }
}

function isSame(one: Failure, other: Failure): boolean {
  return one.args.path === other.args.path && one.args.what === other.args.what;
}

/** What a person asks for that may need git: the rest shows what is known, and asks nothing of its own. */
const NEEDS_GIT: readonly (keyof Host)[] = ["act", "change", "restore", "undo", "sendRun", "takeInRun"];
const RUNS_NEED_GIT: readonly (keyof RunHost)[] = [
  "startLoop",
  "launch",
  "tryCommand",
  "draftLoop",
  "answer",
];

/**
 * The same host. What fails there because a repository changed is asked about, and done after all once the folder is trusted as it is now;
 * otherwise it fails as it did. Asked once: what changes again meanwhile is not trusted unseen.
 */
export function askingHost(host: Host, again: TrustAgain): Host {
  async function after(reason: unknown, repeat: () => unknown): Promise<unknown> {
    const failure = asFailure(reason);
    const { path } = failure.args;
    if (failure.kind !== "repository_changed" || path === undefined) throw reason;
    if (!(await again.ask(failure))) throw reason;
    await host.runs.trust(path, true);
    return repeat();
  }

  function within<Part extends object>(part: Part, asks: readonly (keyof Part)[]): Part {
    return new Proxy(part, {
      get(of, name) {
        if (of === host && name === "runs") return within(host.runs, RUNS_NEED_GIT);
        const value: unknown = Reflect.get(of, name);
        if (typeof value !== "function") return value;
        return (...given: unknown[]): unknown => {
          const once = (): unknown => Reflect.apply(value, of, given);
          const answered = once();
          // What waits for nothing of ours answers as soon as it would without us.
          if (!(asks as readonly (string | symbol)[]).includes(name) || !(answered instanceof Promise))
            return answered;
          return answered.catch((reason: unknown) => after(reason, once));
        };
      },
    });
  }

  return within(host, NEEDS_GIT);
}
