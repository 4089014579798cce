/** Lets the page answer to the person between two pieces of work. */
export const breath = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

const frame = (): Promise<unknown> => new Promise(requestAnimationFrame);

/** The page's next idle moment after a frame; at the latest so many milliseconds after that, where `latest` says so. */
export async function idle(latest?: number): Promise<void> {
  await frame();
  // Safari knows no idle moments.
  if (!("requestIdleCallback" in window)) return new Promise((resolve) => setTimeout(resolve, 100));
  const options = latest === undefined ? {} : { timeout: latest };
  return new Promise((resolve) => requestIdleCallback(() => resolve(), options));
}

/** An idle moment once a leap is drawn: the graph in one frame, words and values in the next. */
export async function idleOnceDrawn(latest: number): Promise<void> {
  await frame();
  return idle(latest);
}
