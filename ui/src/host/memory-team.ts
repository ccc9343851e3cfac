import type {
  Failure,
  IfGone,
  JobView,
  RunPlaces,
  Scope,
  StartForm,
  Steering,
  Target,
  TeamPage,
  TriedTeam,
} from "./bindings";
import { sampleJob, samplePlaces } from "./sample-jobs";
import { sampleTeam, sampleTriedTeam } from "./sample-team";

/** The place of this machine in a team, in memory. */
export class MemoryTeam {
  page: TeamPage = { team: null, folders: [], jobs: [] };
  /** Set to make the next reading of the page fail. */
  failNext: Failure | null = null;
  /** Whether the person chooses an invitation. */
  invited = true;
  /** What a try finds. */
  tried: TriedTeam = sampleTriedTeam(null);
  /** How often the page was read. */
  reads = 0;
  /** Where loops of a folder can run. */
  placesOf: (folder: string) => RunPlaces = () => samplePlaces();
  /** The form that was sent last. */
  sent: StartForm | null = null;

  async read(): Promise<TeamPage> {
    this.reads += 1;
    const failed = this.failNext;
    this.failNext = null;
    if (failed) throw failed;
    return structuredClone(this.page);
  }

  join(): boolean {
    if (this.invited) this.page = sampleTeam(Date.now());
    return this.invited;
  }

  tryOut(): TriedTeam | null {
    return this.invited || this.page.team ? this.tried : null;
  }

  leave(): void {
    this.page = { team: null, folders: [], jobs: [] };
  }

  share(folder: string, scope: Scope | null, steering: Steering): void {
    const folders = this.page.folders.map((one) =>
      one.folder === folder ? { ...one, scope, steering } : one,
    );
    this.page = { ...this.page, folders };
  }

  send(form: StartForm, target: Target, if_gone: IfGone): string {
    const id = `sent-${this.page.jobs.length + 1}`;
    const title = form.work.title || form.work.goal;
    const stage: JobView["stage"] = this.page.team?.connection.kind === "connected" ? "queued" : "waiting";
    const now = Date.now();
    const asked = { title, folder: form.folder, agent: form.plan.agent ?? "", target, if_gone, stage };
    const job = sampleJob(id, now, { ...asked, at: now, since: now });
    this.sent = form;
    this.page = { ...this.page, jobs: [job, ...this.page.jobs] };
    return id;
  }

  takeIn(id: string): string {
    const branch = `loopdeck/loop-v2-${id}`;
    this.#change(id, { branch, has_result: false });
    return branch;
  }

  withdraw(id: string): void {
    this.#change(id, { stage: "withdrawn", since: Date.now() });
  }

  forget(id: string): void {
    this.page = { ...this.page, jobs: this.page.jobs.filter((job) => job.id !== id) };
  }

  #change(id: string, patch: Partial<JobView>): void {
    const jobs = this.page.jobs.map((job) => (job.id === id ? { ...job, ...patch } : job));
    this.page = { ...this.page, jobs };
  }
}
