import type { Failure, Scope, Steering, TeamPage, TriedTeam } from "./bindings";
import { sampleTeam, sampleTriedTeam } from "./sample-team";

/** The place of this machine in a team, in memory. */
export class MemoryTeam {
  page: TeamPage = { team: null, folders: [] };
  /** Set to make the next reading of the page fail. */
  failNext: Failure | null = null;
  /** Whether the person chooses an invitation. */
  invited = true;
  /** What a try finds. */
  tried: TriedTeam = sampleTriedTeam(null);
  /** How often the page was read. */
  reads = 0;

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
    this.page = { team: null, folders: [] };
  }

  share(folder: string, scope: Scope | null, steering: Steering): void {
    const folders = this.page.folders.map((one) =>
      one.folder === folder ? { ...one, scope, steering } : one,
    );
    this.page = { ...this.page, folders };
  }
}
