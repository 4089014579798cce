/** The page's next idle moment; at the latest after so many milliseconds, where `latest` says so. */
export const idle = (latest?: number): Promise<void> =>
  new Promise((resolve) => {
    // Safari knows no idle moments.
    if ("requestIdleCallback" in window)
      requestIdleCallback(() => resolve(), latest === undefined ? {} : { timeout: latest });
    else setTimeout(resolve, 100);
  });
