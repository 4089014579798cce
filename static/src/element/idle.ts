/** Lets the page answer to the person between two pieces of work. */
export const breath = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** The page's next idle moment; at the latest after so many milliseconds, where `latest` says so. */
export const idle = (latest?: number): Promise<void> =>
  new Promise((resolve) => {
    // Safari knows no idle moments.
    if ("requestIdleCallback" in window)
      requestIdleCallback(() => resolve(), latest === undefined ? {} : { timeout: latest });
    else setTimeout(resolve, 100);
  });
