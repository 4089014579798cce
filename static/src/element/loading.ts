import type { ReactiveControllerHost } from "lit";
import { ServiceProblem } from "../trace/service";
import type { Trace } from "../trace/types";

/** The request for a trace that is under way, and why the last one brought none. */
export class Loading {
  problem: ServiceProblem | null = null;

  private request: AbortController | null = null;

  constructor(private readonly host: ReactiveControllerHost) {}

  get running(): boolean {
    return this.request !== null;
  }

  /** Gets a trace and hands it on; a newer request replaces one that is under way. */
  async load(
    get: (signal: AbortSignal) => Promise<Trace>,
    taken: (trace: Trace) => void | Promise<void>,
  ): Promise<void> {
    this.cancel();
    const request = new AbortController();
    this.request = request;
    this.problem = null;
    this.host.requestUpdate();
    try {
      const trace = await get(request.signal);
      if (!request.signal.aborted) await taken(trace);
    } catch (error) {
      if (request.signal.aborted) return;
      if (!(error instanceof ServiceProblem)) throw error;
      this.problem = error;
    } finally {
      if (this.request === request) this.request = null;
      this.host.requestUpdate();
    }
  }

  cancel(): void {
    this.request?.abort();
  }
}
