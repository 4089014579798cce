import { hashWithStep, stepFromHash } from "../state/address";
import type { Place } from "../state/packed";
import { idleOnceDrawn } from "./idle";
import { RARE } from "./rare";

/**
 * Least time between two steps written into the address, in milliseconds. Browsers refuse pages that write more often
 * (Safari throws after 100 writes in 30 seconds), and each write costs as much as drawing a step.
 */
const PACE = 320;

/** What names the step and the code, so that a link can. */
export interface Address {
  step(): number | null;
  setStep(step: number): void;
  /** The code that plays, and the code that it is compared with. */
  code(): Promise<string | null>;
  codeBeside(): Promise<string | null>;
  /** Null takes code out. */
  setCode(code: string | null, beside?: string | null): Promise<void>;
  /** Calls back when the person changes the step there; answers with what ends that. */
  onStep(listener: (step: number) => void): () => void;
}

/** The address of the page. */
export class PageAddress implements Address {
  private waiting: number | null = null;
  private paced = false;

  step(): number | null {
    return this.waiting ?? stepFromHash(location.hash);
  }

  /** When the step is drawn, and as soon as the address may be written again. */
  setStep(step: number): void {
    this.waiting = step;
    if (this.paced) return;
    this.paced = true;
    void idleOnceDrawn(PACE).then(() => {
      this.write();
      window.setTimeout(() => {
        this.paced = false;
        if (this.waiting !== null) this.setStep(this.waiting);
      }, PACE);
    });
  }

  code(): Promise<string | null> {
    return this.codeAt("code");
  }

  codeBeside(): Promise<string | null> {
    return this.codeAt("with");
  }

  private async codeAt(place: Place): Promise<string | null> {
    const { hash } = location;
    return carriesCode(hash) ? (await RARE.packed()).codeFromHash(hash, place) : null;
  }

  async setCode(code: string | null, beside: string | null = null): Promise<void> {
    if (code === null && !carriesCode(location.hash)) return this.write();
    const { hashWithCode } = await RARE.packed();
    replace(await hashWithCode(await hashWithCode(location.hash, code), beside, "with"));
    this.write();
  }

  onStep(listener: (step: number) => void): () => void {
    const heard = ({ newURL }: HashChangeEvent): void => {
      // From the event: a step that waited to be written may stand in the address again by now.
      const step = stepFromHash(new URL(newURL).hash);
      if (step !== null) listener(step);
    };
    window.addEventListener("hashchange", heard);
    return () => window.removeEventListener("hashchange", heard);
  }

  private write(): void {
    if (this.waiting !== null) replace(hashWithStep(location.hash, this.waiting));
    this.waiting = null;
  }
}

/** Most addresses carry none: what packs and unpacks it is not loaded for them. */
const carriesCode = (hash: string): boolean => /[#&](code|with)=/.test(hash);

const replace = (hash: string): void => window.history.replaceState(null, "", hash);

/** For a player in somebody else's page, whose address is not the player's to change. */
export class NoAddress implements Address {
  /** `first` is the step to begin at. */
  constructor(private readonly first: () => number | null) {}

  step(): number | null {
    return this.first();
  }

  setStep(): void {}

  code(): Promise<null> {
    return Promise.resolve(null);
  }

  codeBeside(): Promise<null> {
    return Promise.resolve(null);
  }

  setCode(): Promise<void> {
    return Promise.resolve();
  }

  onStep(): () => void {
    return () => {};
  }
}
