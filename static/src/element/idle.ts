/** Lets the page answer to the person between two pieces of work. */
export const breath = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/**
 * The page's next idle moment after what stands to be drawn is drawn; at the latest so many milliseconds after that, where
 * `latest` says so.
 */
export const idle = (latest?: number): Promise<void> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => {
      // Safari knows no idle moments.
      if ("requestIdleCallback" in window)
        requestIdleCallback(() => resolve(), latest === undefined ? {} : { timeout: latest });
      else setTimeout(resolve, 100);
    });
  });
